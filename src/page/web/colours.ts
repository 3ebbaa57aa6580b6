// Colours of queues, as the style sheet has them: --q0 to --q11.
export const kColours = 12;

export const queueIndex = (names: string[], queue: string): number => Math.max(0, names.indexOf(queue)) % kColours;
export const queueVariable = (names: string[], queue: string): string => `var(--q${queueIndex(names, queue)})`;

export interface Palette {
  queues: string[];
  idle: string;
  foreign: string;
  card: string;
  text: string;
  muted: string;
  line: string;
  accent: string;
}

// For canvases, which know no variables.
export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return {
    queues: Array.from({ length: kColours }, (_, i) => of(`--q${i}`)),
    idle: of("--idle"), foreign: of("--foreign"), card: of("--card"), text: of("--text"), muted: of("--muted"),
    line: of("--line"), accent: of("--accent"),
  };
}
