import { destination, type Logger, type LoggerOptions, pino } from 'pino';
import { readable } from './log-lines.ts';

/** Takes whole lines. */
type Sink = Pick<ReturnType<typeof destination>, 'write'>;

/** Bytes that wait where they cannot be written. */
const MAX_WAITING = 16 * 1024 * 1024;

/**
 * The log of a process: JSON lines to standard output (lines for people, where that is a terminal), or to the file `path`. The lines of one turn of the event loop are written together
 * (measured: a write for each line is a thirtieth of the CPU of an accepted send), and before the process ends by itself. On a full disk the
 * lines of a while are kept until there is room, and later ones are dropped.
 */
export function openLog(options: LoggerOptions, path?: string): Logger {
  const isForPeople = path === undefined && process.stdout.isTTY === true;
  const to = destination({ dest: path ?? 1, sync: true, maxLength: MAX_WAITING });
  // A gateway goes on without its log: an error that nobody hears would end the process.
  to.on('error', () => {});
  const lines = new LinesOfATurn(to, isForPeople ? readable : undefined);
  process.on('exit', () => lines.flushSync());
  return pino(options, lines);
}

class LinesOfATurn {
  readonly #to: Sink;
  readonly #shown: (lines: string) => string;
  #lines = '';

  constructor(to: Sink, shown = (lines: string): string => lines) {
    this.#to = to;
    this.#shown = shown;
  }

  write(line: string): void {
    if (this.#lines === '') setImmediate(() => this.flushSync());
    this.#lines += line;
  }

  /** pino calls it after a fatal line. */
  flushSync(): void {
    const lines = this.#lines;
    this.#lines = '';
    if (lines !== '') this.#to.write(this.#shown(lines));
  }
}
