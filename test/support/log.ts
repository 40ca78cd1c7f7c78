import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

/** A log line as parsed JSON. */
export type LogLine = Readonly<Record<string, unknown>>;

/** Returns a log that stores its lines. */
export function aLog(): {
  readonly log: Logger;
  /** Returns the lines of level `info` and above whose event starts with this prefix. */
  lines(event: string): readonly LogLine[];
  /** Returns the whole log as text. */
  text(): string;
} {
  const kept: LogLine[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      kept.push(JSON.parse(String(chunk)));
      done();
    },
  });
  return {
    log: pino({ level: 'info' }, sink),
    lines: (event) => kept.filter((line) => String(line['event']).startsWith(event)),
    text: () => kept.map((line) => JSON.stringify(line)).join('\n'),
  };
}
