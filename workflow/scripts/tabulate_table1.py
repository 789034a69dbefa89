"""Make Table 1 and test its findings."""

from pathlib import Path

from _adapter import logged
from tandem.reporting import claims, results, table1, table1_claims
from tandem.tasks.sts import read_index

with logged(snakemake.log[0]) as log:
    params = snakemake.params
    settings = [
        results.Setting(s["name"], s["label"], results.Role(s["role"])) for s in params.settings
    ]
    experiments = [
        results.Experiment(**e, parameters=results.count_parameters(Path(m) / "model.safetensors"))
        for e, m in zip(params.experiments, snakemake.input.models, strict=True)
    ]
    found = results.read_results(experiments, snakemake.input.scores)
    draws = results.draw_means(found, **params.bootstrap)
    table = table1.table1(found, draws, settings)
    index, tasks = read_index(snakemake.input.sts), found[0].seeds[0].tasks
    text = table1.markdown(table, settings, tasks, index)
    findings = table1_claims.table1_claims(found, draws, settings, params.scale)
    claims.write_claims(snakemake.output.claims, findings)
    results.write_text(snakemake.output.markdown, text)
    results.write_frame(snakemake.output.table, table)
    log.info("%d rows, %d claims", len(table), len(findings))
