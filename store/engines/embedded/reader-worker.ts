import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

export interface Question {
  readonly id: number;
  readonly sql: string;
  readonly params: readonly SQLInputValue[];
}

export type Answer = { readonly id: number } & (
  | { readonly rows: Record<string, SQLOutputValue>[] }
  | { readonly message: string; readonly errcode: unknown }
);

const MAX_PREPARED = 200;
const db = new DatabaseSync(String(workerData), { readOnly: true, timeout: 5_000 });
const prepared = new Map<string, StatementSync>();

parentPort?.on('message', (question: Question) => parentPort?.postMessage(answered(question)));

function answered({ id, sql, params }: Question): Answer {
  try {
    return { id, rows: statement(sql).all(...params) };
  } catch (cause) {
    return { id, message: String(cause), errcode: cause instanceof Error && 'errcode' in cause ? cause.errcode : undefined };
  }
}

function statement(sql: string): StatementSync {
  const known = prepared.get(sql);
  if (known) return known;
  if (prepared.size >= MAX_PREPARED) prepared.clear();
  const made = db.prepare(sql);
  prepared.set(sql, made);
  return made;
}
