// Numbers as people write them: round steps, short texts, lengths and forces with fitting units.
export function niceStep(raw) {
  const unit = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((k) => k * unit).find((k) => k >= raw * (1 - 1e-9));
}

export function ticks(low, high, count) {
  const step = niceStep((high - low) / count || 1);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

// powers of ten between two logarithms, at most `count` of them; some in between where they are few
export function logTicks(low, high, count) {
  const each = Math.max(1, Math.ceil((high - low) / count));
  const found = [];
  for (let e = Math.ceil(low / each) * each; e <= high; e += each) found.push(e);
  if (found.length >= 2) return found;
  for (let e = Math.floor(low); e <= high; e++) {
    for (const k of [1, 2, 5]) {
      const v = e + Math.log10(k);
      if (v >= low && v <= high && !found.includes(v)) found.push(v);
    }
  }
  return found.sort((a, b) => a - b);
}

// digits behind the point that resolve a thousandth of a span
export function decimals(span) {
  return span > 0 ? Math.min(9, Math.max(2, 3 - Math.floor(Math.log10(span)))) : 3;
}

const RAISED = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };
const raised = (n) => String(n).split('').map((c) => RAISED[c]).join('');

// 1200 -> "1200", 0.00002 -> "2·10⁻⁵"
export function short(value, digits = 3) {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 1e5 || size < 1e-3) {
    const exponent = Math.floor(Math.log10(size) + 1e-12);
    const lead = Number((value / 10 ** exponent).toPrecision(digits));
    return lead === 1 ? `10${raised(exponent)}` : `${lead}·10${raised(exponent)}`;
  }
  return Number(value.toPrecision(digits)).toString();
}

// texts of the marks of one axis: all with the same power of ten, or none
export function sameForm(values) {
  const largest = Math.max(...values.map(Math.abs));
  if (!(largest >= 1e5)) return values.map((v) => short(v));
  const exponent = Math.floor(Math.log10(largest) + 1e-12);
  return values.map((v) => (v === 0 ? '0' : `${Number((v / 10 ** exponent).toPrecision(3))}·10${raised(exponent)}`));
}

const UNITS = {
  m: [[1e3, 'km'], [1, 'm'], [1e-2, 'cm'], [1e-3, 'mm'], [1e-6, 'µm'], [1e-9, 'nm']],
  N: [[1e6, 'MN'], [1e3, 'kN'], [1, 'N'], [1e-3, 'mN'], [1e-6, 'µN']],
  'm/s': [[1, 'm/s'], [1e-3, 'mm/s'], [1e-6, 'µm/s']],
};

// 0.0123, 'm' -> "1.23 cm"
export function withUnit(value, unit, digits = 3) {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return '–';
  const rows = UNITS[unit];
  if (!rows || size === 0) return `${short(value, digits)} ${unit}`;
  const [scale, name] = rows.find(([one]) => size >= one * (1 - 1e-9)) ?? rows[rows.length - 1];
  return `${short(value / scale, digits)} ${name}`;
}
