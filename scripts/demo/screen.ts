import { systemClock } from '../../runtime/clock.ts';

const UP = (lines: number): string => `\u001b[${lines}A\u001b[0J`;

/** On a terminal, the picture is redrawn below the story. Elsewhere, each change prints a line. */
export class Screen {
  readonly #out: NodeJS.WriteStream;
  readonly #since = systemClock.monotonic();
  #drawn = 0;
  #last = '';

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  say(words: string): void {
    this.#wipe();
    this.#out.write(`${words}\n`);
    this.#last = '';
  }

  draw(lines: readonly string[], figures: string): void {
    if (!this.#out.isTTY) return this.#drawLine(lines, figures);
    this.#wipe();
    const all = [...lines, figures].map((line) => `  ${line}`);
    this.#out.write(`${all.join('\n')}\n`);
    this.#drawn = all.length;
  }

  #drawLine(lines: readonly string[], figures: string): void {
    const text = lines.join(' | ');
    if (text === this.#last) return;
    this.#last = text;
    const seconds = ((systemClock.monotonic() - this.#since) / 1000).toFixed(1);
    this.#out.write(`  ${seconds.padStart(5)} s  ${text}  (${figures})\n`);
  }

  #wipe(): void {
    if (this.#drawn > 0) this.#out.write(UP(this.#drawn));
    this.#drawn = 0;
  }
}
