// Charts over time, by uplot.
import uPlot from "uplot";
import { useEffect, useRef } from "preact/hooks";
import { useSize } from "./parts";
import { useTheme } from "./theme";

export interface Line {
  label: string;
  colour: string; // a variable: "--q0"
  values: (number | null)[];
  fill?: boolean;
  dash?: boolean;
}

const kHeight = 150;

function options(lines: Line[], stacked: boolean, format: (value: number) => string, width: number,
                 most: number | undefined, bars: boolean): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  const axis = { stroke: of("--muted"), grid: { stroke: of("--grid"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
  return {
    width, height: kHeight, padding: [8, 8, 0, 0],
    cursor: { points: { show: false }, drag: { x: false, y: false } },
    legend: { show: false },
    scales: { x: { time: true }, y: { range: (_, __, max) => [0, most ?? Math.max(max * 1.08, 1e-9)] } },
    axes: [
      { ...axis, size: 26, space: 80, values: (plot, ticks) => {
        const isShort = (plot.scales.x.max ?? 0) - (plot.scales.x.min ?? 0) < 600;
        return ticks.map((t) => new Date(t * 1000).toLocaleTimeString(undefined,
          { hour: "2-digit", minute: "2-digit", second: isShort ? "2-digit" : undefined, hourCycle: "h23" }));
      } },
      { ...axis, size: 52, space: 32, values: (_, ticks) => ticks.map((t, i) => (i > 0 && format(t) === format(ticks[i - 1]) ? "" : format(t))) },
    ],
    series: [{}, ...lines.map((line): uPlot.Series => ({
      label: line.label, stroke: of(line.colour), width: stacked ? 0 : 1.5, dash: line.dash ? [4, 3] : undefined,
      fill: stacked || line.fill ? of(line.colour) + (stacked ? "" : "33") : undefined, points: { show: false },
      paths: bars ? uPlot.paths.bars!({ size: [0.8, 40], gap: 0 }) : undefined,
      spanGaps: false,
    }))],
  };
}

// The sums from the bottom, drawn from the top one on: each hides the lower part of the one before.
function stack(lines: Line[]): Line[] {
  let below: number[] = [];
  const sums = lines.map((line) => {
    below = line.values.map((value, i) => (value ?? 0) + (below[i] ?? 0));
    return { ...line, values: below };
  });
  return sums.reverse();
}

export function Chart({ title, note, times, lines, format, stacked = false, most, bars = false }: {
  title: string;
  note?: string;
  times: number[];
  lines: Line[];
  format: (value: number) => string;
  stacked?: boolean;
  most?: number;
  bars?: boolean;
}) {
  const [box, width] = useSize<HTMLDivElement>();
  const { dark } = useTheme();
  const plot = useRef<uPlot | null>(null);
  const shape = [dark, width, stacked, ...lines.map((line) => line.label + line.colour)].join("|");
  const made = useRef("");
  const shown = stacked ? stack(lines) : lines;
  const data = [times, ...shown.map((line) => line.values)] as uPlot.AlignedData;
  useEffect(() => {
    if (width === 0 || !box.current) return;
    if (made.current === shape && plot.current) return plot.current.setData(data);
    plot.current?.destroy();
    plot.current = new uPlot(options(shown, stacked, format, width, most, bars), data, box.current);
    made.current = shape;
  });
  useEffect(() => () => plot.current?.destroy(), []);
  const last = (line: Line) => {
    for (let i = line.values.length - 1; i >= 0; --i) if (line.values[i] !== null) return line.values[i] as number;
    return 0;
  };
  return (
    <figure class="chart">
      <figcaption><h3>{title}</h3>{note && <span class="muted">{note}</span>}</figcaption>
      <div class="plot" ref={box} role="img" aria-label={`${title}. Now: ${lines.map((line) => `${line.label} ${format(last(line))}`).join(", ")}`} />
      <ul class="keys">
        {lines.map((line) => (
          <li key={line.label}><span class="swatch" style={{ background: `var(${line.colour})` }} aria-hidden="true" /><span class="cut">{line.label}</span> <span class="muted">{format(last(line))}</span></li>
        ))}
      </ul>
      {times.length < 2 && <p class="none">too young: there is one point</p>}
    </figure>
  );
}
