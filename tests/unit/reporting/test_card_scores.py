from tandem.reporting.card_scores import card_scores


def test_tells_tasks_the_mean_of_years_and_retrieval():
    sts = {
        "tasks": [
            {"task": "2012.a", "pearson_x100": 60.0},
            {"task": "2013.b", "pearson_x100": 70.0},
        ],
        "years": {"2012": 60.0, "2013": 70.0},
        "mean_of_years": 65.0,
    }
    retrieval = {"sentences": 1000, "directions": {"en-es": {"p_at_1": 81.5}}}
    found = [(score.task, score.metric, score.value) for score in card_scores([sts, retrieval])]
    assert found == [
        ("STS 2012.a", "Pearson's r x 100", 60.0),
        ("STS 2013.b", "Pearson's r x 100", 70.0),
        ("STS, mean of the years 2012 2013", "Pearson's r x 100", 65.0),
        ("en-es, 1,000 held-out sentences", "P@1 x 100", 81.5),
    ]
