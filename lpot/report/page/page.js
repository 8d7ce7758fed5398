// Draws a study's view (lpot/report/study_view.h). Names come from models and are not trusted: use text nodes only.
'use strict';
const SVG = 'http://www.w3.org/2000/svg';
function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== ''));
  return node;
}
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const byId = id => document.getElementById(id);

// Format numbers.
const isNumber = value => typeof value === 'number' && isFinite(value);
const fixed = (value, digits) => isNumber(value) ? value.toFixed(digits) : '–';
const ratio = (value, aboveOne, belowOne) => value > 0 && value < 1 ? `${fixed(1 / value, 2)} x ${belowOne}` : `${fixed(value, 2)} x ${aboveOne}`;
const short = value => !isNumber(value) ? '–' : value === 0 ? '0' : Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3
  ? value.toExponential(1) : String(+value.toPrecision(4));
const signed = (value, digits) => isNumber(value) ? (value < 0 ? '−' : '+') + Math.abs(value).toFixed(digits) : '–';
const bytes = n => !n ? '–' : n < 1e3 ? n + ' B' : n < 1e6 ? (n / 1e3).toFixed(0) + ' kB' : n < 1e9 ? (n / 1e6).toFixed(2) + ' MB' : (n / 1e9).toFixed(2) + ' GB';
const seconds = s => !isNumber(s) ? '–' : s < 60 ? s.toFixed(1) + ' s' : s < 3600 ? Math.floor(s / 60) + ' min ' + Math.round(s % 60) + ' s'
  : Math.floor(s / 3600) + ' h ' + Math.round(s / 60 % 60) + ' min';
const counted = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;
const scored = trial => isNumber(trial.accuracy) && isNumber(trial.speedup);
const bestOf = view => view.trials.find(trial => trial.number === view.best);
const accuracyText = trial => fixed(trial.accuracy, 4) + (trial.complete ? '' : ' (estimate)');
// Latencies compare only within one run, in which fp32 and int8 run alternately.
const spread = trial => trial.speedup_high > 0 ? ` (${fixed(trial.speedup_low, 2)}-${fixed(trial.speedup_high, 2)})` : '';
const speedup = trial => isNumber(trial.speedup) ? `${fixed(trial.speedup, 2)} x${spread(trial)}` : '–';
const faster = trial => ratio(trial.speedup, 'faster', 'slower') + (trial.speedup_low > 0 ? trial.speedup < 1 ? ` (${fixed(1 / trial.speedup_high, 2)}-${fixed(1 / trial.speedup_low, 2)})` : spread(trial) : '');
const speedText = trial => `${fixed(trial.latency_ms, 3)} ms, ${speedup(trial)} against fp32 in the same run (${fixed(trial.fp32_latency_ms, 3)} ms)${trial.speedup_vs_default > 0 ? `, ${fixed(trial.speedup_vs_default, 2)} x against the default precision of the runtime` : ''}`;

// A scale, its ticks and an empty plot with axes.
function scale(low, high, from, to) {
  if (!(high > low)) { const half = Math.abs(low) * 0.05 || 0.5; low -= half; high += half; }
  const at = value => from + (value - low) / (high - low) * (to - from);
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= rough);
  const digits = Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const ticks = [];
  for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; ++k) ticks.push(k * step);
  return { at, low, high, ticks, text: value => value.toFixed(digits) };
}
function frame(width, height, x, y, labels) {
  const [left, right, top, bottom] = [52, width - 12, labels.top ?? 22, height - 34];
  const grid = y.ticks.map(tick => [svg('line', { class: 'grid', x1: left, x2: right, y1: y.at(tick), y2: y.at(tick) }),
    svg('text', { x: left - 6, y: y.at(tick) + 4, 'text-anchor': 'end' }, y.text(tick))]);
  const marks = x.ticks.map(tick => svg('text', { x: x.at(tick), y: bottom + 15, 'text-anchor': 'middle' }, x.text(tick)));
  return svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': labels.name }, grid, marks,
    svg('line', { class: 'axis', x1: left, x2: right, y1: bottom, y2: bottom }),
    svg('text', { x: left - 44, y: top - 10 }, labels.y), svg('text', { x: right, y: height - 4, 'text-anchor': 'end' }, labels.x));
}
const hint = text => svg('title', {}, text);

function drawScatter(view) {
  const width = 540, height = 330, base = view.baseline, goal = view.goal, best = bestOf(view);
  // The fp32 latency in the run of the best trial, because the machine may be busier in another run.
  const fp32 = best ? best.fp32_latency_ms : base.latency_ms;
  const trials = view.trials.filter(scored);
  const ms = trial => fp32 / trial.speedup;
  const better = !goal || goal.higher_is_better ? 1 : -1;
  // Trials with a very low accuracy are drawn at the edge, so that they do not compress the plot.
  const losses = trials.map(trial => better * (base.accuracy - trial.accuracy)).sort((a, b) => a - b);
  const allowed = goal && isNumber(goal.threshold) ? Math.abs(base.accuracy - goal.threshold) : 0;
  const typical = losses.length ? losses[Math.floor((losses.length - 1) * 0.8)] : 0;
  const most = Math.max(allowed * 2, Math.min(losses.at(-1) ?? 0, typical * 1.3), 1e-6);
  const gain = Math.max(allowed * 0.4, -1.15 * (losses[0] ?? 0), most * 0.08);
  const times = [fp32, ...trials.map(ms)];
  const room = (Math.max(...times) - Math.min(...times)) * 0.06 || fp32 * 0.05;
  const x = scale(Math.max(0, Math.min(...times) - room), Math.max(...times) + room, 56, width - 16);
  const ends = [base.accuracy - better * most * 1.08, base.accuracy + better * gain];
  const flipped = scale(Math.min(...ends), Math.max(...ends), better > 0 ? height - 34 : 22, better > 0 ? 22 : height - 34);
  const plot = frame(width, height, x, flipped, { name: 'accuracy against latency', x: 'latency, ms', y: view.metric });
  if (goal && isNumber(goal.threshold)) {
    const at = flipped.at(goal.threshold);
    plot.append(svg('line', { class: 'goal', x1: 52, x2: width - 12, y1: at, y2: at }),
      svg('text', { class: 'goal', x: width - 14, y: at + 13, 'text-anchor': 'end' }, 'goal ' + short(goal.threshold)));
  }
  const byNumber = new Map(trials.map(trial => [trial.number, trial]));
  const floor = better * (base.accuracy) - most * 1.04;
  const place = trial => [x.at(ms(trial)), flipped.at(better * Math.max(better * trial.accuracy, floor))];
  const line = view.front.map(number => byNumber.get(number)).filter(Boolean).filter(trial => better * trial.accuracy >= floor);
  const radius = trials.length > 100 ? 3 : 4.5;
  for (const trial of trials) {
    const [left, top] = place(trial), below = better * trial.accuracy < floor;
    const look = { class: trial.meets_goal ? 'met' : 'missed' };
    const mark = below ? svg('path', { ...look, d: `M${left - 4},${top - 4}h8l-4,7z` }) : svg('circle', { ...look, cx: left, cy: top, r: radius });
    mark.append(hint(`trial ${trial.number}: ${accuracyText(trial)}, ${speedText(trial)}, ${counted(trial.fp32_ops, 'op')} not in int8`));
    plot.append(mark);
    if (trial.number === view.best) plot.append(svg('circle', { class: 'best-mark', cx: left, cy: top, r: 8 }));
  }
  // Drawn above the marks, which would hide it.
  if (line.length > 1) plot.append(svg('polyline', { class: 'front', points: line.map(trial => place(trial).join(',')).join(' ') }));
  plot.append(svg('rect', { class: 'reference', x: x.at(fp32) - 4, y: flipped.at(base.accuracy) - 4, width: 8, height: 8 }, hint('fp32')),
    svg('text', { class: 'ink', x: x.at(fp32) + 4, y: flipped.at(base.accuracy) - 8, 'text-anchor': 'end' }, 'fp32'));
  return el('section', { id: 'scatter' }, el('h2', {}, 'Accuracy against latency'),
    el('p', { class: 'muted' }, 'Filled: the trial meets the goal. Ring: the best trial. Line: trials for which no other trial is both faster and more accurate. Triangle: the accuracy is below the plot. ' +
      'Latencies are scaled to the fp32 latency in the run of the best trial.'), plot);
}

function drawProgress(view) {
  const width = 540, height = 176, base = view.baseline;
  const points = view.trials.map(trial => ({ at: trial.at, best: view.trials.find(other => other.number === trial.best_so_far) })).filter(point => point.best);
  const panel = (value, label, reference, threshold) => {
    const values = [reference, ...points.map(point => value(point.best)), ...(isNumber(threshold) ? [threshold] : [])];
    const room = (Math.max(...values) - Math.min(...values)) * 0.12 || Math.abs(reference) * 0.02 || 0.1;
    const x = scale(0, Math.max(view.seconds, 1e-3), 56, width - 16);
    const y = scale(Math.min(...values) - room, Math.max(...values) + room, height - 34, 22);
    const plot = frame(width, height, x, y, { name: label + ' of the best so far', x: 'time, s', y: label });
    if (isNumber(threshold)) plot.append(svg('line', { class: 'goal', x1: 52, x2: width - 12, y1: y.at(threshold), y2: y.at(threshold) }, hint('goal')));
    points.forEach((point, i) => {
      const end = i + 1 < points.length ? points[i + 1] : { at: view.seconds, best: point.best };
      plot.append(svg('path', { class: point.best.meets_goal ? 'step' : 'step missed',
        d: `M${x.at(point.at)},${y.at(value(point.best))}H${x.at(end.at)}V${y.at(value(end.best))}` }));
    });
    if (points.length <= 60)
      for (const point of points) plot.append(svg('circle', { class: point.best.meets_goal ? 'met' : 'missed', cx: x.at(point.at), cy: y.at(value(point.best)), r: 3.5 },
        hint(`after ${seconds(point.at)}: trial ${point.best.number}`)));
    return plot;
  };
  return el('section', { id: 'progress' }, el('h2', {}, 'Best so far against time'),
    el('p', { class: 'muted' }, 'Grey while the goal is not met.'),
    panel(trial => trial.accuracy, view.metric, base.accuracy, view.goal?.threshold), panel(trial => trial.speedup, 'speed-up', 1));
}

// The network from its first op to its last: precision, expected noise, share of time.
function drawStrip(view) {
  const ops = view.ops, width = 1120, best = bestOf(view);
  if (!ops.length) return null;
  const left = 64, step = (width - left - 4) / ops.length, wide = Math.max(0.8, step - (step > 4 ? 1.5 : 0.3));
  const noises = ops.map(op => op.noise).filter(noise => noise > 0);
  const [quietest, loudest] = [Math.min(...noises), Math.max(...noises)].map(Math.log10);
  const total = ops.reduce((sum, op) => sum + (op.fp32_ms || 0), 0);
  const longest = Math.max(...ops.map(op => Math.max(op.fp32_ms || 0, op.int8_ms || 0)), 1e-9);
  const height = total ? 168 : 88;
  const plot = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'the ops of the network' },
    [['precision', 16], ['noise', 62], ...(total ? [['time', 132]] : [])].map(([text, y]) => svg('text', { x: 0, y }, text)));
  ops.forEach((op, i) => {
    const x = left + i * step, group = svg('g', {});
    const isInt8 = !best || view.choices[best.ops[i]].startsWith('int8');
    group.append(svg('rect', { class: isInt8 ? 'int8' : 'fp32', x, y: 4, width: wide, height: 18 }));
    if (op.noise > 0) {
      const tall = 4 + 44 * (loudest > quietest ? (Math.log10(op.noise) - quietest) / (loudest - quietest) : 0.5);
      group.append(svg('rect', { class: 'bar', x, y: 80 - tall, width: wide, height: tall }));
    }
    const half = wide / 2;
    if (op.fp32_ms > 0) group.append(svg('rect', { class: 'time', x, y: 160 - 66 * op.fp32_ms / longest, width: half, height: 66 * op.fp32_ms / longest }));
    if (op.int8_ms > 0) group.append(svg('rect', { class: 'int8', x: x + half, y: 160 - 66 * op.int8_ms / longest, width: half, height: 66 * op.int8_ms / longest }));
    group.append(svg('rect', { x, y: 0, width: step, height, opacity: 0 }), hint([`${i + 1}. ${op.name} (${op.type})`, best ? view.choices[best.ops[i]] : '',
      isNumber(op.noise) ? `expected noise ${short(op.noise)} of the signal` + (isNumber(op.decibels) ? ` (${fixed(op.decibels, 1)} dB)` : '') : '',
      op.fp32_ms ? `fp32 ${short(op.fp32_ms)} ms (${fixed(100 * op.fp32_ms / total, 1)}% of the ops), int8 ${short(op.int8_ms)} ms, kernel variant ${op.form}` : ''].filter(Boolean).join('\n')));
    plot.append(group);
  });
  const key = (name, text) => [el('span', { class: 'key ' + name }), text];
  return el('section', { id: 'strip' }, el('h2', {}, `The ${ops.length} quantizable ops in order`),
    el('p', { class: 'muted' }, 'In the best plan:', key('int8', 'int8'), key('fp32', 'not quantized'), key('bar', 'expected noise (log scale)'),
      total ? [key('time', 'time in fp32'), key('int8', 'time in int8')] : ' · times were not measured'), plot);
}

function drawTensors(view) {
  if (!view.tensors.length) return null;
  const one = tensor => {
    const { low, high, counts } = tensor.histogram, width = 320, height = 130, tallest = Math.log1p(Math.max(...counts));
    const x = scale(Math.min(low, tensor.range[0]), Math.max(high, tensor.range[1]), 8, width - 8);
    const step = (high - low) / counts.length, plot = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'histogram' });
    counts.forEach((count, i) => {
      const tall = 84 * Math.log1p(count) / tallest;
      if (count) plot.append(svg('rect', { class: 'bar', x: x.at(low + i * step), y: 104 - tall, width: Math.max(0.8, x.at(low + step) - x.at(low) - 0.4), height: tall }));
    });
    const [first, last] = tensor.range.map(x.at);
    if (low < tensor.range[0]) plot.append(svg('rect', { class: 'cut', x: x.at(low), y: 14, width: Math.max(0, first - x.at(low)), height: 90 }));
    if (high > tensor.range[1]) plot.append(svg('rect', { class: 'cut', x: last, y: 14, width: Math.max(0, x.at(high) - last), height: 90 }));
    for (const [at, anchor] of [[first, 'start'], [last, 'end']]) plot.append(svg('line', { class: 'range', x1: at, x2: at, y1: 14, y2: 104 }),
      svg('text', { class: 'ink', x: at, y: 120, 'text-anchor': anchor }, short(tensor.range[anchor === 'start' ? 0 : 1])));
    plot.append(svg('line', { class: 'axis', x1: 8, x2: width - 8, y1: 104, y2: 104 }));
    return el('div', {}, el('p', { class: 'muted text' }, `${tensor.tensor}, read by ${tensor.op} (${tensor.algorithm})`), plot);
  };
  return el('section', { id: 'tensors' }, el('h2', {}, 'Inputs of the noisiest ops'),
    el('p', { class: 'muted' }, 'Observed values (log scale of the counts) and the range of the 256 int8 levels. Values outside the range are clipped.'),
    el('div', { class: 'many' }, view.tensors.map(one)));
}

// Tables. A head that begins with "<" has a column of texts.
const look = (head, value) => !head.startsWith('<') ? undefined : typeof value === 'string' && value.length <= 24 ? 'text whole' : 'text';
const table = (heads, rows) => el('div', { class: 'scroll' }, el('table', {},
  el('thead', {}, el('tr', {}, heads.map(head => el('th', { class: look(head, head) }, head.replace('<', ''))))),
  el('tbody', {}, rows.map(row => el('tr', { class: row.look }, row.cells.map((value, i) => el('td', { class: look(heads[i], value) }, value)))))));

function drawHeadline(view) {
  const best = bestOf(view), base = view.baseline, tile = (name, value, rest, look) => el('section', {}, el('span', { class: 'muted' }, name), el('b', { class: look }, value), el('span', { class: 'muted' }, rest));
  if (!best) return el('section', {}, el('b', {}, base ? 'No trial has succeeded yet.' : 'The fp32 model is being measured.'));
  const size = view.model_bytes || best.size_bytes;
  return el('div', { class: 'tiles', id: 'headline' },
    tile(view.metric, accuracyText(best), `${signed(best.accuracy - base.accuracy, 4)} against fp32; goal ${view.goal?.met ? 'met' : 'NOT met'}`, view.goal?.met ? 'good' : 'bad'),
    tile('speed', faster(best), `${fixed(best.fp32_latency_ms, 3)} → ${fixed(best.latency_ms, 3)} ms, batch 1, against fp32 in the same run${best.cores === 1 ? ', on one core' : ''}`),
    tile('size', ratio(base.size_bytes / size, 'smaller', 'larger'), `${bytes(base.size_bytes)} → ${bytes(size)}`),
    tile('time', seconds(view.seconds), `${counted(view.trials.length, 'trial')}, ${counted(view.probes.length, 'probe')}`));
}
function drawComparison(view) {
  const best = bestOf(view), base = view.baseline;
  if (!best) return null;
  const rows = Object.keys(base.metrics).map(name => ({ cells: [name, fixed(base.metrics[name], 4), fixed(best.metrics[name], 4), signed(best.metrics[name] - base.metrics[name], 4)] }));
  const size = view.model_bytes || best.size_bytes;
  rows.push({ cells: ['latency, batch 1 (same run)', fixed(best.fp32_latency_ms, 3) + ' ms', fixed(best.latency_ms, 3) + ' ms', faster(best)] },
    { cells: ['size on disk', bytes(base.size_bytes), bytes(size), ratio(base.size_bytes / size, 'smaller', 'larger')] },
    { cells: ['ops', `${view.ops.length} in fp32`, `${view.ops.length - best.fp32_ops} in int8`, `${best.fp32_ops} not in int8`] });
  return el('section', { id: 'comparison' }, el('h2', {}, `fp32 against int8 (trial ${best.number})`), table(['<', 'fp32', 'int8', ''], rows),
    el('p', { class: 'muted' }, `Goal: ${view.goal ? view.goal.text : 'not known'}. ${view.reason ? 'Stopped because ' + view.reason + '.' : ''}`),
    el('p', { class: 'muted', id: 'ranges' }, `Ranges: ${best.ranges}.`),
    el('p', { class: 'muted', id: 'recipes' }, `Recipes: ${best.recipes.join(', ') || 'none'}.`),
    view.faster_trial ? el('p', { id: 'faster' }, view.faster_trial) : null);
}
function drawReasons(view) {
  const best = bestOf(view), kept = view.ops.filter(op => op.why);
  if (!best) return null;
  return el('section', { id: 'reasons' }, el('h2', {}, 'Why ops are not in int8'), kept.length
    ? table(['<op', '<type', '<reason'], kept.map(op => ({ cells: [op.name, op.type, op.why] })))
    : el('p', { class: 'muted' }, 'Every quantizable op runs in int8.'),
    view.ops.filter(op => op.why_int8).map(op => el('p', { id: 'noisiest' }, `Noisiest op in int8: ${op.name}. ${op.why_int8}`)));
}
function drawDiagnosis(view) {
  const rows = view.ops.flatMap(op => (op.findings || []).map(finding => ({ noise: op.noise || 0,
    cells: [op.name, isNumber(op.decibels) ? fixed(op.decibels, 1) : '–', finding.text, el('code', {}, finding.yaml)] })));
  if (!view.ops.some(op => op.findings)) return null;
  rows.sort((a, b) => b.noise - a.noise);
  return el('section', { id: 'diagnosis' }, el('h2', {}, 'Diagnosis'), rows.length ? table(['<op', 'signal/noise, dB', '<finding', '<YAML that may help'], rows)
    : el('p', { class: 'muted' }, 'No findings: no op is noisy, slower in int8, or has outlier or dead input channels.'));
}

// The changes of a trial against the best trial before it.
function change(view, index) {
  const trial = view.trials[index], before = view.trials.find(other => index > 0 && other.number === view.trials[index - 1].best_so_far);
  if (trial.error) return trial.error;
  if (!before) return trial.fp32_ops ? `${counted(trial.fp32_ops, 'op')} not in int8` : 'everything in int8';
  const names = { fallback: [], int8: [], other: [] };
  const isInt8 = text => text.startsWith('int8');
  trial.ops.forEach((choice, i) => {
    if (choice === before.ops[i]) return;
    const [was, is] = [view.choices[before.ops[i]], view.choices[choice]];
    names[!isInt8(is) ? 'fallback' : !isInt8(was) ? 'int8' : 'other'].push(view.ops[i].name);
  });
  const unquantized = { bf16: 'bf16', f16: 'fp16' }[trial.precision] || 'fp32';
  const list = found => found.slice(0, 2).join(', ') + (found.length > 2 ? ` and ${found.length - 2} more` : '');
  const other = names.other.length > 8 ? `other ranges for ${names.other.length} ops` : 'other ranges: ' + list(names.other);
  const [added, removed] = [[trial, before], [before, trial]].map(([a, b]) => a.recipes.filter(recipe => !b.recipes.includes(recipe)));
  const parts = [names.fallback.length ? `to ${unquantized}: ` + list(names.fallback) : '', names.int8.length ? 'to int8: ' + list(names.int8) : '', names.other.length ? other : '',
    added.length ? 'with ' + added.join(', ') : '', removed.length ? 'without ' + removed.join(', ') : ''];
  return `against trial ${before.number}, ` + (parts.filter(Boolean).join('; ') || 'other calibration samples or recipes');
}
// A candidate that was ranked: its estimated accuracy, or the distance of its outputs from those of fp32.
const estimate = candidate => isNumber(candidate.estimated_accuracy) ? `${fixed(candidate.estimated_accuracy, 4)} ± ${short(+candidate.error.toPrecision(2))}`
  : isNumber(candidate.distance) ? 'distance ' + short(candidate.distance) : 'failed';
function drawTrials(view) {
  const estimates = new Map(view.ranked.filter(candidate => candidate.trial).map(candidate => [candidate.trial, estimate(candidate)]));
  const withEstimate = cell => estimates.size ? [cell] : [];
  const rows = view.trials.map((trial, i) => ({ look: trial.number === view.best ? 'best' : undefined, cells: [String(trial.number),
    scored(trial) ? el('span', { class: trial.meets_goal ? 'good' : undefined }, accuracyText(trial) + (trial.meets_goal ? ' ✓' : '')) : el('span', { class: 'bad' }, 'failed'),
    ...withEstimate(estimates.get(trial.number) ?? ''),
    `${fixed(trial.fp32_latency_ms, 3)} → ${fixed(trial.latency_ms, 3)}`, speedup(trial), bytes(trial.size_bytes), String(trial.fp32_ops), fixed(trial.seconds, 1),
    [el('div', {}, trial.ranges), el('div', { class: 'muted' }, change(view, i))]] }));
  return el('section', { id: 'trials' }, el('h2', {}, `What was tried: ${counted(rows.length, 'trial')}, ${counted(view.probes.length, 'probe')}`),
    view.probes_text ? el('p', { class: 'muted' }, `Probes: ${view.probes_text}.`) : null,
    rows.length ? table(['trial', view.metric, ...withEstimate('by probe'), 'ms, fp32 → int8', 'speed-up', 'weights', 'not int8', 'seconds', '<ranges, change'], rows) : null);
}
function drawRanked(view) {
  const others = view.ranked.filter(candidate => !candidate.trial), goal = view.goal?.threshold;
  if (!others.length) return null;
  const inInt8 = view.ranked.filter(candidate => !candidate.ranges.startsWith('no int8'));
  const shared = inInt8.length ? inInt8[0].recipes.filter(recipe => inInt8.every(candidate => candidate.recipes.includes(recipe))) : [];
  const rows = others.map(candidate => ({ cells: [candidate.ranges, candidate.recipes.filter(recipe => !shared.includes(recipe)).join(', ') || '–', String(candidate.not_int8), candidate.precision,
    estimate(candidate), isNumber(candidate.estimated_accuracy) && isNumber(goal) ? signed(candidate.estimated_accuracy - goal, 4) : '–', candidate.samples ? String(candidate.samples) : '–'] }));
  return el('section', { id: 'ranked' }, el('h2', {}, 'Ranked, not tried'),
    el('p', { class: 'muted' }, `Probes ranked ${counted(view.ranked.length, 'candidate')} on a few samples. ${view.ranked.length - others.length} of them became trials; these did not. ` +
      'The number after ± is the standard error. Speed is measured only in trials.' + (shared.length ? ` Recipes of all candidates: ${shared.join(', ')}.` : '')),
    table(['<ranges', shared.length ? '<other recipes' : '<recipes', 'not int8', 'rest in', `estimated ${view.metric}`, 'against the goal', 'samples'], rows));
}

// Two trials op by op.
const compared = [0, 0];
function drawCompare(view) {
  if (view.trials.length < 2) return null;
  const place = el('div', {});
  const fallbackTo = [view.best ?? 1, view.trials.find(trial => trial.number !== view.best).number];
  const draw = () => {
    const [a, b] = compared.map((number, k) => view.trials.find(trial => trial.number === number) || view.trials.find(trial => trial.number === fallbackTo[k]));
    const rows = view.ops.map((op, i) => ({ cells: [op.name, view.choices[a.ops[i]], view.choices[b.ops[i]]], same: a.ops[i] === b.ops[i] })).filter(row => !row.same);
    const recipes = [a, b].map(trial => trial.recipes.join(', ') || 'none');
    if (recipes[0] !== recipes[1]) rows.unshift({ cells: ['recipes', ...recipes] });
    const score = trial => trial.error ? 'failed' : `${accuracyText(trial)}, ${speedText(trial)}`;
    place.replaceChildren(el('p', { class: 'muted' }, `Trial ${a.number}: ${score(a)}. Trial ${b.number}: ${score(b)}. ${rows.length ? counted(rows.length, 'difference') + '.' : 'Both have the same plan.'}`),
      ...(rows.length ? [table(['<op', '<trial ' + a.number, '<trial ' + b.number], rows)] : []));
  };
  const choose = k => el('select', { 'aria-label': 'trial', onchange: event => { compared[k] = Number(event.target.value); event.target.blur(); draw(); } },
    view.trials.map(trial => el('option', { value: trial.number, selected: trial.number === (compared[k] || fallbackTo[k]) ? '' : undefined }, 'trial ' + trial.number)));
  draw();
  return el('section', { id: 'compare' }, el('h2', {}, 'Two trials op by op'), el('p', {}, choose(0), ' against ', choose(1)), place);
}
function drawAbout(view) {
  const about = view.about, line = (name, value) => value ? { cells: [name, el('span', {}, String(value))] } : null;
  const rows = [line('model', about.model), line('fingerprint', view.fingerprint), line('started', about.started),
    about.machine && line('machine', `${about.machine.cpu}, ${about.machine.cores} cores, ${about.machine.class}`),
    about.versions && line('versions', `lpot ${about.versions.lpot}, OpenVINO ${about.versions.openvino}`), line('saved as', view.model)].filter(Boolean);
  return el('section', { id: 'about' }, el('h2', {}, 'Reproduce'), about.command ? el('pre', {}, about.command) : null,
    el('table', {}, el('tbody', {}, rows.map(row => el('tr', {}, el('td', { class: 'text muted' }, row.cells[0]), el('td', { class: 'text' }, row.cells[1]))))),
    el('details', {}, el('summary', { class: 'muted' }, 'settings'), el('pre', {}, Object.entries(view.settings || {}).map(([key, value]) => `${key} = ${value}`).join('\n'))));
}

function render(view) {
  document.title = `${view.name} · lpot`;
  byId('title').textContent = view.name;
  byId('subtitle').textContent = `study ${view.study}` + (view.goal ? ` · ${view.metric} ${view.goal.text}` : '');
  const open = byId('about')?.querySelector('details')?.open, scrolled = byId('trials')?.querySelector('.scroll')?.scrollTop;
  const measured = view.baseline && view.trials.some(scored);
  byId('main').replaceChildren(...[drawHeadline(view), drawComparison(view),
    measured ? el('div', { class: 'pair' }, drawScatter(view), drawProgress(view)) : null,
    drawStrip(view), drawReasons(view), drawTensors(view), drawDiagnosis(view), drawTrials(view), drawRanked(view), drawCompare(view), drawAbout(view)].filter(Boolean));
  if (open) byId('about').querySelector('details').open = true;
  if (scrolled) byId('trials').querySelector('.scroll').scrollTop = scrolled;
}

// The dashboard: polls the server and draws again after a change.
const live = { study: 0, stamp: '' };
// A run that failed at its start leaves a study without a baseline: it is not shown first.
const newestStudy = studies => studies.findLast(study => study.has_baseline || study.progress) || studies.at(-1);
function drawLive(list) {
  const now = list.studies.find(study => study.study === live.study);
  const progress = now.progress;
  byId('live').replaceChildren(
    el('select', { 'aria-label': 'study', onchange: event => { live.study = Number(event.target.value); live.stamp = ''; event.target.blur(); poll(); } },
      list.studies.map(study => el('option', { value: study.study, selected: study.study === live.study ? '' : undefined }, `study ${study.study} (${study.trials} trials)`))), ' ',
    ...(progress ? [`trial ${now.trials + 1}: ${progress.stage} `, el('progress', { max: progress.total || 1, value: progress.done }), ` ${progress.done}/${progress.total} `]
      : [el('span', { class: 'muted' }, now.ended ? 'ended ' : 'not running ')]),
    ...list.files.flatMap(name => [el('a', { href: '/files/' + name, download: name }, name), ' ']));
}
async function poll() {
  try {
    const list = await (await fetch('/api/studies')).json();
    if (!list.studies.length) { byId('main').replaceChildren('No study in this workspace yet.'); return; }
    if (!list.studies.some(study => study.study === live.study)) live.study = newestStudy(list.studies).study;
    const stamp = `${live.study} ${list.studies.find(study => study.study === live.study).stamp}`;
    const busy = document.activeElement?.tagName === 'SELECT';  // do not replace an open list
    if (!busy) drawLive(list);
    if (stamp !== live.stamp && !busy) { render(await (await fetch('/api/studies/' + live.study)).json()); live.stamp = stamp; }
  } catch (error) {
    byId('live').textContent = 'no answer from lpot serve';
  }
}

function start() {
  const themes = ['auto', 'light', 'dark'], button = byId('theme');
  const show = theme => { button.textContent = 'theme: ' + theme; theme === 'auto' ? document.documentElement.removeAttribute('data-theme') : document.documentElement.setAttribute('data-theme', theme); };
  let theme = 'auto';
  try { theme = localStorage.getItem('lpot-theme') || 'auto'; } catch (error) { /* a file may have no storage */ }
  show(theme);
  button.addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % 3];
    show(theme);
    try { localStorage.setItem('lpot-theme', theme); } catch (error) { /* as above */ }
  });
  const data = byId('data');
  if (data) return render(JSON.parse(data.textContent));
  poll();
  setInterval(poll, 1000);
}
start();
