"""Writes tests/metrics/expected/*.txt: results of scikit-learn, scipy and pycocotools for small data.

    python -m venv .venv-tables && .venv-tables/bin/pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pycocotools==2.0.11
    .venv-tables/bin/python tests/metrics/make_expectations.py

classification.txt, per line: classes, count, expected accuracy, F1 of class 1 (two classes only, else -1), macro F1,
Matthews' correlation, mean intersection over union; then the answers, then the labels.
regression.txt, per line: count, MSE, RMSE, MAE, Pearson, Spearman; then the outputs, then the labels.
detection.txt: "case", number of images, then pycocotools' mAP for (thresholds; points): (0.5:0.05:0.95; 101),
(0.5; 101), (0.75; 11), and the area under the curve at 0.5. Then for each image "image", objects, boxes found; a line for
each object (y_min x_min y_max x_max class crowd area) and for each box (y_min x_min y_max x_max class score). Coordinates
are multiples of 1/64 and all scores of a case differ.
segmentation.txt, per line: classes, height, width, the share of pixels with the same class, mean intersection over
union; then the scores of int8 [classes,height,width], then those of fp32. One class: a threshold of 0.5.
embeddings.txt, per line: count, size, k, mean cosine with fp32, recall at k by class, mean share of the k nearest that
are those of fp32, Spearman and Pearson of the cosines of rows 2i and 2i+1 with a similarity; then the embeddings, those
of fp32, the class of each row, and the similarity of each pair.
"""

import contextlib
import io
import pathlib

import numpy as np
import scipy.stats
import sklearn.metrics.pairwise
import sklearn.neighbors
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from sklearn import metrics

EXPECTED = pathlib.Path(__file__).parent / "expected"


def join(values):
    return " ".join(f"{value!r}" for value in np.asarray(values).tolist())


def classification(random):
    for classes, count, noise in [
        (2, 1, 0),
        (2, 40, 0.3),
        (2, 40, 0.9),
        (2, 25, 0),
        (3, 60, 0.4),
        (5, 50, 0.6),
        (9, 20, 0.8),
    ]:
        labels = random.integers(0, classes, count)
        answers = np.where(
            random.random(count) < noise, random.integers(0, classes, count), labels
        )
        yield (
            join(
                [
                    classes,
                    count,
                    metrics.accuracy_score(labels, answers),
                    metrics.f1_score(labels, answers, zero_division=0)
                    if classes == 2
                    else -1,
                    metrics.f1_score(labels, answers, average="macro", zero_division=0),
                    metrics.matthews_corrcoef(labels, answers),
                    metrics.jaccard_score(
                        labels, answers, average="macro", zero_division=0
                    ),
                ]
            )
            + f" {join(answers)} {join(labels)}"
        )


def regression(random):
    for count, noise in [(2, 1), (30, 0.5), (30, 4), (50, 40)]:
        labels = random.integers(0, 41, count) / 8
        outputs = np.round((labels + random.normal(0, noise, count)) * 8) / 8
        error = metrics.mean_squared_error(labels, outputs)
        yield (
            join(
                [
                    count,
                    error,
                    error**0.5,
                    metrics.mean_absolute_error(labels, outputs),
                    scipy.stats.pearsonr(outputs, labels)[0],
                    scipy.stats.spearmanr(outputs, labels)[0],
                ]
            )
            + f" {join(outputs)} {join(labels)}"
        )


def random_box(random):
    top, left = random.integers(0, 40, 2)
    height, width = random.integers(4, 24, 2)
    return np.array([top, left, top + height, left + width])


def moved(random, box):
    return np.maximum(box + random.integers(-2, 3, 4), [0, 0, 0, 0])


def make_images(random, count, classes, crowds):
    images = []
    for _ in range(count):
        truths = [
            (
                random_box(random),
                int(random.integers(1, classes + 1)),
                int(random.random() < crowds),
            )
            for _ in range(random.integers(0, 6))
        ]
        found = []
        for box, object_class, _ in truths:
            for _ in range(random.integers(0, 3)):
                found.append(
                    (
                        moved(random, box),
                        object_class
                        if random.random() < 0.8
                        else int(random.integers(1, classes + 1)),
                    )
                )
        found += [
            (random_box(random), int(random.integers(1, classes + 1)))
            for _ in range(random.integers(0, 3))
        ]
        images.append((truths, found))
    scores = random.permutation(sum(len(found) for _, found in images)) + 1
    at = iter(scores)
    return [
        (
            truths,
            [(box, object_class, int(next(at)) / 1024) for box, object_class in found],
        )
        for truths, found in images
    ]


def coco_box(box):
    return [
        float(box[1]),
        float(box[0]),
        float(box[3] - box[1]),
        float(box[2] - box[0]),
    ]


def evaluator(images, classes):
    truth, found = COCO(), COCO()
    info = {
        "images": [{"id": i + 1} for i in range(len(images))],
        "categories": [{"id": i + 1} for i in range(classes)],
    }
    annotations, results = [], []
    for i, (truths, detections) in enumerate(images):
        for box, object_class, crowd in truths:
            size = coco_box(box)
            annotations.append(
                dict(
                    id=len(annotations) + 1,
                    image_id=i + 1,
                    category_id=object_class,
                    bbox=size,
                    area=size[2] * size[3],
                    iscrowd=crowd,
                )
            )
        for box, object_class, score in detections:
            size = coco_box(box)
            results.append(
                dict(
                    id=len(results) + 1,
                    image_id=i + 1,
                    category_id=object_class,
                    bbox=size,
                    area=size[2] * size[3],
                    iscrowd=0,
                    score=score,
                )
            )
    truth.dataset, found.dataset = (
        {**info, "annotations": annotations},
        {**info, "annotations": results},
    )
    truth.createIndex()
    found.createIndex()
    return COCOeval(truth, found, "bbox")


def coco_map(images, classes, thresholds, points):
    evaluation = evaluator(images, classes)
    evaluation.params.iouThrs = np.array(thresholds)
    evaluation.params.recThrs = np.linspace(0, 1, points)
    evaluation.evaluate()
    evaluation.accumulate()
    precision = evaluation.eval["precision"][:, :, :, 0, -1]
    return precision[precision > -1].mean()


def area(images, classes, threshold):
    """Area under the interpolated curve, from pycocotools' own matches."""
    evaluation = evaluator(images, classes)
    evaluation.params.iouThrs = np.array([threshold])
    evaluation.evaluate()
    areas = []
    for object_class in evaluation.params.catIds:
        per_image = [
            e
            for e in evaluation.evalImgs
            if e
            and e["category_id"] == object_class
            and e["aRng"] == evaluation.params.areaRng[0]
        ]
        if (
            not per_image
            or sum((1 - np.array(e["gtIgnore"])).sum() for e in per_image) == 0
        ):
            continue
        truths = sum((1 - np.array(e["gtIgnore"])).sum() for e in per_image)
        scores = np.concatenate([e["dtScores"] for e in per_image])
        order = np.argsort(-scores, kind="mergesort")
        right = np.concatenate([e["dtMatches"][0] for e in per_image])[order] > 0
        ignored = np.concatenate([e["dtIgnore"][0] for e in per_image])[order] > 0
        tp, fp = np.cumsum(right & ~ignored), np.cumsum(~right & ~ignored)
        recall = np.concatenate([[0], tp / truths, [1]])
        precision = np.concatenate([[0], tp / np.maximum(tp + fp, 1), [0]])
        envelope = np.maximum.accumulate(precision[::-1])[::-1]
        areas.append(((recall[1:] - recall[:-1]) * envelope[1:]).sum())
    return np.mean(areas)


def detection(random):
    coco = np.linspace(0.5, 0.95, 10)
    for count, classes, crowds in [(1, 1, 0), (6, 2, 0), (12, 3, 0.2), (20, 2, 0.1)]:
        images = make_images(random, count, classes, crowds)
        with contextlib.redirect_stdout(io.StringIO()):
            values = [
                coco_map(images, classes, coco, 101),
                coco_map(images, classes, [0.5], 101),
                coco_map(images, classes, [0.75], 11),
                area(images, classes, 0.5),
            ]
        yield f"case {count} {join(values)}"
        for truths, found in images:
            yield f"image {len(truths)} {len(found)}"
            for box, object_class, crowd in truths:
                yield f"{join(box / 64)} {object_class} {crowd} {(box[2] - box[0]) * (box[3] - box[1])}"
            for box, object_class, score in found:
                yield f"{join(box / 64)} {object_class} {score}"


def segmentation(random):
    for classes, height, width, noise in [
        (1, 4, 5, 0.2),
        (2, 3, 3, 0.5),
        (5, 6, 4, 0.5),
        (4, 3, 8, 2),
    ]:
        expected = np.round(random.normal(0.5, 1, (classes, height, width)), 3)
        scores = np.round(expected + random.normal(0, noise, expected.shape), 3)
        if classes == 1:
            found, wanted = (scores[0] > 0.5).ravel(), (expected[0] > 0.5).ravel()
        else:
            found, wanted = scores.argmax(0).ravel(), expected.argmax(0).ravel()
        yield join(
            [
                classes,
                height,
                width,
                metrics.accuracy_score(wanted, found),
                metrics.jaccard_score(wanted, found, average="macro", zero_division=0),
                *scores.ravel(),
                *expected.ravel(),
            ]
        )


def nearest(rows, k):
    """The k nearest rows of each row, without itself."""
    search = sklearn.neighbors.NearestNeighbors(n_neighbors=k, metric="cosine")
    return search.fit(rows).kneighbors(return_distance=False)


def embeddings(random):
    for count, size, k, classes, noise in [
        (6, 3, 1, 2, 0.1),
        (20, 8, 1, 4, 0.5),
        (24, 5, 3, 5, 0.5),
        (40, 4, 5, 9, 1),
    ]:
        expected = np.round(random.normal(0, 1, (count, size)), 3)
        rows = np.round(expected + random.normal(0, noise, expected.shape), 3)
        labels = random.integers(0, classes, count)
        similarity = np.round(random.uniform(0, 5, count // 2), 2)
        cosines = sklearn.metrics.pairwise.cosine_similarity(rows)
        pairs = [cosines[2 * i, 2 * i + 1] for i in range(count // 2)]
        found, wanted = nearest(rows, k), nearest(expected, k)
        sizes = np.bincount(labels)
        yield join(
            [
                count,
                size,
                k,
                np.diag(
                    sklearn.metrics.pairwise.cosine_similarity(rows, expected)
                ).mean(),
                np.mean(
                    [
                        labels[i] in labels[found[i]]
                        for i in range(count)
                        if sizes[labels[i]] > 1
                    ]
                ),
                np.mean([len(set(found[i]) & set(wanted[i])) / k for i in range(count)]),
                scipy.stats.spearmanr(pairs, similarity)[0],
                scipy.stats.pearsonr(pairs, similarity)[0],
                *rows.ravel(),
                *expected.ravel(),
                *labels,
                *similarity,
            ]
        )


def main():
    EXPECTED.mkdir(exist_ok=True)
    for make in (classification, regression, detection, segmentation, embeddings):
        lines = list(make(np.random.default_rng(7)))
        (EXPECTED / f"{make.__name__}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
