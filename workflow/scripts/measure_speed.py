"""Time encoders on text that they have not read, and their training."""

from _adapter import add_kinds, job_device, logged
from tandem.corpora.register import Dataset
from tandem.files.io import write_json
from tandem.timing.rates import measure_models, sample
from tandem.timing.unread import new_sentences, sts_sentences, trained_on
from tandem.training.pairs import load_texts
from tandem.training.run import Run

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, inputs, measured = snakemake.params, snakemake.input, dict(snakemake.params.measured)
    language = measured["language"]
    if params.dataset:
        dataset = Dataset(**params.dataset)
        path = f"results/corpora/downloads/{dataset.name}/{dataset.file}"
        others = {code: next(c for c in dataset.languages if c != code) for code in params.read}
        texts = ([line for line, _ in dataset.pairs(path, *sides)] for sides in others.items())
    else:
        texts = [sts_sentences(inputs.text, language)]
    read = trained_on(inputs.corpus, language)
    text = new_sentences(texts, read, measured.pop("sentences"), measured.pop("seed"))
    runs, pairs, most = {}, {}, measured.pop("training_pairs")
    for (name, run), folder in zip(params.runs.items(), inputs.segmented, strict=True):
        runs[name] = Run.parse(run, seed=1)
        pairs[name] = sample(load_texts(folder, params.sides, params.pools), most)
    models = dict(zip(params.runs, inputs.models, strict=True))
    devices = dict.fromkeys(["cpu", job_device(snakemake.config)])
    speeds = measure_models(models, runs, pairs, params.baselines, text, devices, **measured)
    log.info("%s", speeds)
    write_json(snakemake.output.speeds, speeds | {"code": params.code})
