import { destination, type Logger, type LoggerOptions, pino } from 'pino';
import { readable } from './log-lines.ts';

type Sink = Pick<ReturnType<typeof destination>, 'write'>;

const MAX_WAITING = 16 * 1024 * 1024;

/** Writes once per event-loop tick. One write per line would cost 1/30 of the CPU of an accepted send. */
export function openLog(options: LoggerOptions, path?: string): Logger {
  const isForPeople = path === undefined && process.stdout.isTTY === true;
  const to = destination({ dest: path ?? 1, sync: true, maxLength: MAX_WAITING });
  // Ignores errors, so that the gateway continues without its log. An unhandled error event would
  // stop the process.
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

  /** pino calls this after a fatal line. */
  flushSync(): void {
    const lines = this.#lines;
    this.#lines = '';
    if (lines !== '') this.#to.write(this.#shown(lines));
  }
}
