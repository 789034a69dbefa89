"""Rules of this study alone: its target, and what is made of held-out text."""

import wieting2020.inputs

wieting2020 = wieting2020.inputs.Inputs(STUDIES["wieting2020"])


rule bgt:
    """All tables, figures and claims of wieting2020."""
    input:
        wieting2020.plan.targets,


rule gather_held_out:
    """Gather the pairs of the sections of a bitext's test split, or of the split.

    Out: meaning, the same for pairs that mean the same, left text, right text, the corpus, with tabs
    between.
    """
    input:
        files=lambda w: [f for n in wieting2020.plan.sources(w.bitext) for f in downloads(n)],
        corpus=wieting2020.plan.path("corpora/{bitext}"),
    output:
        pairs=wieting2020.plan.path("held-out/{bitext}.tsv"),
    log:
        wieting2020.plan.path("logs/gather_held_out/{bitext}.log"),
    wildcard_constraints:
        bitext=alternatives(wieting2020.gathered),
    conda:
        "../../../envs/tandem.yaml"
    params:
        bitext=lambda w: wieting2020.plan.study.bitexts[w.bitext].model_dump(mode="json"),
        datasets=lambda w: records(
            wieting2020.plan.sources(w.bitext), wieting2020.plan.study.bitexts[w.bitext]
        ),
        code=lambda w: digest(
            "gather_held_out.py",
            *read_by(wieting2020.plan.sources(w.bitext)),
            study="wieting2020",
        ),
    script:
        "scripts/gather_held_out.py"


rule build_styles:
    """Split the verses of all versions, draw triples to restyle, learn to tell the versions apart.

    Out: {train,valid,test}.tsv, verse, version, text; triples.tsv, of the test split: verse, version
    of the source, version of the style, source, style, true verse, the style in a third version;
    classifier.npz, and
    classifier.json, the share of the held-out verses whose version it tells.
    """
    input:
        files=downloads(wieting2020.text.styles.dataset),
    output:
        folder=directory(wieting2020.styles),
    log:
        wieting2020.plan.path("logs/build_styles.log"),
    conda:
        "../../../envs/tandem.yaml"
    params:
        styles=wieting2020.text.styles.model_dump(mode="json"),
        dataset=DATASETS[wieting2020.text.styles.dataset].record(*wieting2020.text.styles.versions),
        code=digest(
            "build_styles.py",
            *read_by([wieting2020.text.styles.dataset]),
            study="wieting2020",
        ),
    script:
        "scripts/build_styles.py"


rule build_probing:
    """Make the probing sets of held-out text (section 5.2).

    Out: of each, tr, va or te, the label, the sentence, with tabs between, as SentEval has them, and
    the sentence's meaning, which sentences share that mean the same.
    """
    input:
        texts=wieting2020.probed,
    output:
        sets=wieting2020.probing,
    log:
        wieting2020.plan.path("logs/build_probing.log"),
    conda:
        "../../../envs/tandem.yaml"
    params:
        probes=[probe.model_dump(mode="json") for probe in wieting2020.text.probes.values()],
        sides=[wieting2020.plan.sides(p.bitext) for p in wieting2020.text.probes.values()],
        code=digest("build_probing.py", study="wieting2020"),
    script:
        "scripts/build_probing.py"


rule restyle:
    """Write the meaning of each triple's source in the manner of its style, or of another version's
    (section 5.3).

    Out: a line for each triple. A model without language variables reads the source alone.
    """
    input:
        model=lambda w: wieting2020.plan.model(w.experiment, int(w.seed)),
        styles=wieting2020.styles,
    output:
        text=wieting2020.plan.path("restyled/{experiment}/{manner}/seed{seed}.txt"),
    log:
        wieting2020.plan.path("logs/restyle/{experiment}/{manner}/seed{seed}.log"),
    wildcard_constraints:
        experiment=alternatives(wieting2020.restyled),
        manner=alternatives(wieting2020.manners),
    conda:
        "../../../envs/tandem.yaml"
    resources:
        gpu=GPU,
        mem_mb=4000,
    params:
        beam=wieting2020.beam,
        code=lambda w: digest(
            "restyle.py", *wieting2020.plan.training_files(w.experiment), study="wieting2020"
        ),
    script:
        "scripts/restyle.py"


rule measure_likelihood:
    """Measure a variational autoencoder on sentences of the test split (Appendix A.1).

    Out: of each sentence, in nats, the mutual information with its vector, the divergence of its
    posterior from the prior, and its negative log-likelihood; how many tokens it has.
    """
    input:
        model=lambda w: wieting2020.plan.model(w.experiment, int(w.seed)),
        corpus=lambda w: wieting2020.text_of(w.experiment),
    output:
        measured=wieting2020.plan.path("likelihood/{experiment}/seed{seed}.npz"),
    log:
        wieting2020.plan.path("logs/measure_likelihood/{experiment}/seed{seed}.log"),
    wildcard_constraints:
        experiment=alternatives(wieting2020.autoencoders),
    conda:
        "../../../envs/tandem.yaml"
    resources:
        gpu=GPU,
        mem_mb=4000,
    params:
        **wieting2020.measured,
        code=lambda w: digest(
            "measure_likelihood.py",
            *wieting2020.plan.training_files(w.experiment),
            study="wieting2020",
        ),
    script:
        "scripts/measure_likelihood.py"


rule time_epochs:
    """Time the training of a table's models, in turns (Appendices A and C).

    The job requests as many threads as most machines have, so that no other job runs beside it.

    Out: pairs per second of each model and turn, its training pairs, how many of them were timed, as
    JSON; these are timings, so another run gives other figures.
    """
    input:
        segmented=lambda w: wieting2020.timed_text(w.table),
    output:
        times=wieting2020.plan.path("benchmarks/{table}.json"),
    log:
        wieting2020.plan.path("logs/time_epochs/{table}.log"),
    wildcard_constraints:
        table=alternatives(wieting2020.timed),
    conda:
        "../../../envs/tandem.yaml"
    threads: 16
    resources:
        gpu=GPU,
        mem_mb=8000,
    params:
        runs=lambda w: {
            name: wieting2020.plan.run(name) for name in wieting2020.timed_experiments(w.table)
        },
        sides=lambda w: wieting2020.timed_sides(w.table),
        pairs=lambda w: wieting2020.timed[w.table].timed_pairs,
        turns=lambda w: wieting2020.timed[w.table].turns,
        code=lambda w: digest(
            "time_epochs.py", *wieting2020.timed_files(w.table), study="wieting2020"
        ),
    script:
        "scripts/time_epochs.py"
