import { isRecord } from '../../runtime/shapes.ts';

const LEVELS: Readonly<Record<number, string>> = { 10: 'TRACE', 20: 'DEBUG', 30: 'INFO', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' };
const SHOWN = new Set(['level', 'time', 'msg', 'node', 'pid', 'hostname', 'err']);

/** Formats JSON lines for people: `12:00:01 WARN  what happened key=value`. */
export function readable(lines: string): string {
  return lines.split('\n').map(readableLine).join('\n');
}

function readableLine(line: string): string {
  const entry = parsed(line);
  if (entry === null) return line;
  const { level, time, msg, err } = entry;
  const details = Object.entries(entry).filter(([name, value]) => !SHOWN.has(name) && value !== undefined);
  const told = details.map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const at = new Date(Number(time)).toTimeString().slice(0, 8);
  return [`${at} ${(LEVELS[Number(level)] ?? String(level)).padEnd(5)} ${String(msg ?? '')}`, ...told, ...causeOf(err)].join('  ');
}

function causeOf(err: unknown): string[] {
  return isRecord(err) ? [`\n  ${String(err['stack'] ?? err['message'])}`] : [];
}

function parsed(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const entry: unknown = JSON.parse(line);
    return isRecord(entry) ? entry : null;
  } catch {
    return null;
  }
}
