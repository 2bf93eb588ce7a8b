"""What was measured, as a Markdown table and a picture of how it grows with size."""

import html
import json
import re

COLORS = ("#1b6ca8", "#c2571a", "#2e7d32", "#7b1fa2", "#b8860b", "#ad1457",
          "#00838f", "#5d4037", "#455a64", "#827717", "#d81b60", "#3949ab")
WIDTH, HEIGHT, MARGIN, LEGEND = 430, 300, 50, 16
BEGIN, END = "<!-- measured -->\n", "<!-- end -->\n"


def write_report(results, out, docs):
    (out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    text, picture = markdown(results), svg(results["rows"])
    (out / "results.md").write_text(text)
    (out / "growth.svg").write_text(picture)
    if docs:
        page = docs / "performance.md"
        old = page.read_text()
        page.write_text(old[: old.index(BEGIN)] + BEGIN + text + old[old.index(END) :])
        (docs / "pictures" / "growth.svg").write_text(picture)


def table(head, rows):
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def number(value):
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def seconds(value):
    return f"{value * 1000:.1f} ms" if value < 0.1 else f"{value:.2f} s"


def peak(row):
    return f"{row['peak_mib']:.1f}"


def markdown(results):
    machine, words = results["machine"], " ".join(["bench/run.sh", *results["arguments"]])
    text = f"`{words}` on {machine['cores']} cores ({machine['cpu']}), {machine['memory_gb']} GB of memory, {machine['file_system']}, "
    text += f"Linux {machine['kernel'].split('-')[0]}. Peaks are resident memory in MiB.\n\n"
    (listed, *rows) = results["rows"]
    text += f"A program of 4 GB is listed in {seconds(listed['seconds'])} (at most 10 ms wanted) with {peak(listed)} MiB (16).\n\n"
    text += table(["command", "held against", *families_of(rows), "at most", "peak"], map_rows(rows))
    text += growth_text(results["growth"]) + exporter_text(results["exporter"])
    return text


def families_of(rows):
    return [f"{family}, {state}" for family, state in columns_of(rows)]


def columns_of(rows):
    return list(dict.fromkeys((row["family"], row["state"]) for row in rows))


def map_rows(rows):
    for job in dict.fromkeys(row["job"] for row in rows):
        of_job = {(row["family"], row["state"]): row for row in rows if row["job"] == job}
        any_row = next(iter(of_job.values()))
        cells = [number(of_job[column]["ratio"]) if column in of_job else "" for column in columns_of(rows)]
        yield [job, any_row["yardstick"], *cells, number(any_row["target"]), f"{max(row['peak_mib'] for row in of_job.values()):.1f}"]


def growth_text(rows):
    text = ""
    for what in dict.fromkeys(row["job"].rsplit(", ", 1)[1] for row in rows):
        of_kind = [row for row in rows if row["job"].endswith(", " + what)]
        counts = sorted({row["count"] for row in of_kind})
        lines = []
        for job in dict.fromkeys(row["job"] for row in of_kind):
            by_count = {row["count"]: row for row in of_kind if row["job"] == job}
            lines.append([job.split(",")[0], *(f"{by_count[count]['cpu_seconds']:.2f} s, {peak(by_count[count])}" for count in counts)])
        text += table([what, *(f"{count:,}" for count in counts)], lines)
    return text


def exporter_text(rows):
    if not rows:
        return ""
    lines = [[f"{row['job']}, {row['bytes'] / 1e9:g} GB", f"{seconds(row['exporter_seconds'])}, {row['exporter_peak_mib']:,.0f}",
              f"{seconds(row['seconds'])}, {peak(row)}", f"{row['exporter_seconds'] / row['seconds']:.0f} ×",
              f"1/{row['exporter_peak_mib'] / row['peak_mib']:.0f}"] for row in rows]
    return table(["beside the exporter's Python", "its time and peak", "ours", "faster", "memory"], lines)


def svg(rows):
    """Seconds and peaks against bytes, of what was read from the disk, both axes logarithmic."""
    cold = [row for row in rows if row["state"] == "cold"]
    jobs = [job for job in dict.fromkeys(re.sub(r" of \d+$", "", row["job"]) for row in cold)]
    charts = [("seconds", "seconds", 0), ("peak_mib", "peak, MiB", WIDTH)]
    body = "".join(chart(cold, jobs, *one) for one in charts)
    for i, job in enumerate(jobs):
        x, y = MARGIN + i % 3 * 280, HEIGHT + 20 + i // 3 * LEGEND
        body += f'<text x="{x}" y="{y}" fill="{COLORS[i % len(COLORS)]}">{html.escape(job)}</text>'
    height = HEIGHT + 30 + -(-len(jobs) // 3) * LEGEND
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {height}" font-family="sans-serif" font-size="11">'
            f'<rect width="100%" height="100%" fill="white"/>{body}</svg>\n')


def decades(values):
    """Powers of ten around them."""
    low, high = -6, 12
    while 10.0 ** (low + 1) <= min(values):
        low += 1
    while 10.0 ** (high - 1) >= max(values):
        high -= 1
    return list(range(low, high + 1))


def chart(rows, jobs, member, title, left):
    from math import log10

    xs, ys = decades([row["bytes"] for row in rows]), decades([row[member] for row in rows])

    def x_of(value):
        return left + MARGIN + (log10(value) - xs[0]) / (xs[-1] - xs[0]) * (WIDTH - 2 * MARGIN)

    def y_of(value):
        return HEIGHT - MARGIN / 2 - (log10(value) - ys[0]) / (ys[-1] - ys[0]) * (HEIGHT - MARGIN)

    text = f'<text x="{left + MARGIN}" y="14">{title}, by bytes read</text>'
    for x in xs:
        text += line([(x_of(10**x), y_of(10.0 ** ys[0])), (x_of(10**x), y_of(10.0 ** ys[-1]))], "#ddd")
        text += f'<text x="{x_of(10**x) - 14:.0f}" y="{HEIGHT - 8}">{10**x / 1e9:g} GB</text>'
    for y in ys:
        text += line([(x_of(10 ** xs[0]), y_of(10.0**y)), (x_of(10 ** xs[-1]), y_of(10.0**y))], "#ddd")
        text += f'<text x="{left + 12}" y="{y_of(10.0**y) + 4:.0f}">{10.0**y:g}</text>'
    for i, job in enumerate(jobs):
        points = sorted((row["bytes"], row[member]) for row in rows if re.sub(r" of \d+$", "", row["job"]) == job)
        text += line([(x_of(x), y_of(y)) for x, y in points], COLORS[i % len(COLORS)], 'stroke-width="2"')
        text += "".join(f'<circle cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="3" fill="{COLORS[i % len(COLORS)]}"/>' for x, y in points)
    return text


def line(points, color, more=""):
    return f'<polyline fill="none" stroke="{color}" {more} points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'
