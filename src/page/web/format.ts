// Numbers and times for people. Times are in the viewer's zone.

const kBinary = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const kDecimal = ["", "k", "M", "G", "T", "P", "E"];

const short = (value: number): string => {
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : 1;
  return value.toLocaleString("en", { maximumFractionDigits: digits });
};

function scaled(value: number, base: number, units: string[]): string {
  let unit = 0;
  while (Math.abs(value) >= base && unit + 1 < units.length) {
    value /= base;
    ++unit;
  }
  return short(value) + units[unit];
}

// An amount in the units of the state: milli-cpu, bytes, one.
export function amount(resource: string, value: number): string {
  if (resource === "cpu") return short(value / 1000);
  if (isBytes(resource)) return scaled(value, 1024, kBinary);
  return value >= 100_000 ? scaled(value, 1000, kDecimal) : value.toLocaleString("en");
}

export const isBytes = (resource: string): boolean =>
  resource === "memory" || resource.endsWith("storage") || resource.startsWith("hugepages-");

// A quantity of Kubernetes ("1500m", "8Gi"), in the same units.
export function quantity(resource: string, text: string | undefined): number {
  if (text === undefined) return 0;
  const match = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z]*)$/.exec(text);
  if (!match) return 0;
  const [, digits, unit] = match;
  let value = Number(digits);
  if (unit === "m") value /= 1000;
  else if (unit.endsWith("i")) value *= 1024 ** kBinary.indexOf(unit);
  else if (unit !== "") value *= 1000 ** kDecimal.indexOf(unit);
  return resource === "cpu" ? value * 1000 : value;
}

// "nvidia.com/gpu" is "gpu", "cpu" is "cpu".
export function resourceName(resource: string): string {
  return resource.slice(resource.lastIndexOf("/") + 1);
}

export const percent = (part: number, whole: number): string =>
  whole <= 0 ? "–" : `${Math.round((100 * part) / whole)} %`;

export const count = (value: number): string => value.toLocaleString("en");
export const plural = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

// "3 h 12 min", "45 s"
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min` + (minutes < 10 && whole % 60 ? ` ${whole % 60} s` : "");
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h` + (minutes % 60 ? ` ${minutes % 60} min` : "");
  const days = Math.floor(hours / 24);
  return `${days} d` + (hours % 24 ? ` ${hours % 24} h` : "");
}

// For axes: "3 h", "1.5 min"
export function shortDuration(seconds: number): string {
  if (seconds < 60) return `${short(seconds)} s`;
  if (seconds < 3600) return `${short(seconds / 60)} min`;
  return seconds < 172_800 ? `${short(seconds / 3600)} h` : `${short(seconds / 86_400)} d`;
}

export function microseconds(value: number): string {
  if (value < 1000) return `${Math.round(value)} µs`;
  if (value < 1_000_000) return `${short(value / 1000)} ms`;
  return `${short(value / 1_000_000)} s`;
}

const kTime = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const kTimeOfSecond = new Intl.DateTimeFormat(undefined,
  { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const kDay = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const kWhole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

// "14:02", or with the day if that is not today.
export function time(seconds: number, now: number, withSeconds = false): string {
  const date = new Date(seconds * 1000);
  const text = (withSeconds ? kTimeOfSecond : kTime).format(date);
  const isToday = new Date(now * 1000).toDateString() === date.toDateString();
  return isToday ? text : `${kDay.format(date)}, ${text}`;
}
export const wholeTime = (seconds: number): string => kWhole.format(new Date(seconds * 1000));
export const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
export const seconds = (text: string | null | undefined): number => (text ? Date.parse(text) / 1000 : 0);
