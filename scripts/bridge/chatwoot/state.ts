import { chmodSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { openFile } from './schema.ts';

/**
 * The state file of the bridge: the conversation of each person, unfinished jobs, and the ids of
 * each message on both sides. The file contains ids and addresses, but no texts or names.
 * Invariant: a request that must not be sent twice is stored here before it is sent.
 */

export interface Person {
  readonly chat: string;
  /** Agents' replies go to this address. It changes when two chats are merged. */
  readonly answersTo: string;
  readonly contact: number | null;
  readonly source: string | null;
  readonly conversation: number | null;
  /** Messages of the conversation up to this id have been handled. */
  readonly reached: number;
  /** Time at which the bridge requested a conversation whose id it does not know yet. */
  readonly openingAt: number | null;
}

export interface Job {
  readonly seq: number;
  readonly name: string;
  readonly lane: string;
  readonly body: string;
  readonly rev: number;
  readonly tries: number;
}

export interface Mirror {
  readonly source: string;
  readonly conversation: number;
  /** Chatwoot's id of the message; null until a response contains it. */
  readonly cw: number | null;
  /** Lower bound: Chatwoot's id of this message is higher than this. */
  readonly above: number;
  readonly at: number;
}

export interface Answer {
  readonly cw: number;
  readonly part: number;
  readonly chat: string;
  readonly conversation: number;
  readonly media: string | null;
  readonly message: string | null;
  readonly status: string | null;
  readonly askedAt: number | null;
}

type Row = Readonly<Record<string, SQLOutputValue>>;

const TABLES_OF_CHATS = ['person', 'mirror', 'answer', 'done'] as const;

const number = (row: Row, name: string): number => Number(row[name]);
const text = (row: Row, name: string): string => String(row[name]);
const numberOrNull = (row: Row, name: string): number | null => (row[name] === null ? null : Number(row[name]));
const textOrNull = (row: Row, name: string): string | null => (row[name] === null ? null : String(row[name]));

const personOf = (row: Row): Person => ({
  chat: text(row, 'chat'),
  answersTo: text(row, 'answers_to'),
  contact: numberOrNull(row, 'contact'),
  source: textOrNull(row, 'source'),
  conversation: numberOrNull(row, 'conversation'),
  reached: number(row, 'reached'),
  openingAt: numberOrNull(row, 'opening_at'),
});

const mirrorOf = (row: Row): Mirror => ({
  source: text(row, 'source'),
  conversation: number(row, 'conversation'),
  cw: numberOrNull(row, 'cw'),
  above: number(row, 'above'),
  at: number(row, 'at'),
});

const answerOf = (row: Row): Answer => ({
  cw: number(row, 'cw'),
  part: number(row, 'part'),
  chat: text(row, 'chat'),
  conversation: number(row, 'conversation'),
  media: textOrNull(row, 'media'),
  message: textOrNull(row, 'message'),
  status: textOrNull(row, 'status'),
  askedAt: numberOrNull(row, 'asked_at'),
});

const jobOf = (row: Row): Job => ({
  seq: number(row, 'seq'),
  name: text(row, 'name'),
  lane: text(row, 'lane'),
  body: text(row, 'body'),
  rev: number(row, 'rev'),
  tries: number(row, 'tries'),
});

/** If `once` is set, a job with this name is never added again. */
export interface NewJob {
  readonly name: string;
  readonly lane: string;
  readonly body: string;
  readonly once: boolean;
}

export class BridgeState {
  readonly #db: DatabaseSync;

  constructor(path: string) {
    this.#db = openFile(path);
    chmodSync(path, 0o600);
  }

  close(): void {
    this.#db.close();
  }

  #run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#db.prepare(sql).run(...values).changes);
  }

  #first(sql: string, ...values: readonly SQLInputValue[]): Row | null {
    return this.#db.prepare(sql).get(...values) ?? null;
  }

  #all(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#db.prepare(sql).all(...values);
  }

  transaction(work: () => void): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#db.exec('COMMIT');
    } catch (cause) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw cause;
    }
  }

  setting(name: string): string | null {
    const row = this.#first('SELECT value FROM setting WHERE name = ?', name);
    return row && text(row, 'value');
  }

  set(name: string, value: string): void {
    this.#run('INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value', name, value);
  }

  person(chat: string): Person | null {
    const row = this.#first('SELECT * FROM person WHERE chat = ?', chat);
    return row && personOf(row);
  }

  personIn(conversation: number): Person | null {
    const row = this.#first('SELECT * FROM person WHERE conversation = ? ORDER BY rowid LIMIT 1', conversation);
    return row && personOf(row);
  }

  personOf(contact: number): Person | null {
    const row = this.#first('SELECT * FROM person WHERE contact = ? ORDER BY rowid LIMIT 1', contact);
    return row && personOf(row);
  }

  /** Includes people who were only written to outside of Chatwoot and have no conversation. */
  chats(): readonly string[] {
    const named = TABLES_OF_CHATS.map((table) => `SELECT chat FROM ${table} WHERE chat IS NOT NULL`).join(' UNION ');
    return this.#all(named).map((row) => text(row, 'chat'));
  }

  save({ chat, answersTo, contact, source, conversation, reached, openingAt }: Person): void {
    this.#run(
      `INSERT INTO person VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (chat) DO UPDATE SET answers_to = excluded.answers_to,
       contact = excluded.contact, source = excluded.source, conversation = excluded.conversation, reached = excluded.reached,
       opening_at = excluded.opening_at`,
      ...[chat, answersTo, contact, source, conversation, reached, openingAt],
    );
  }

  reach(conversation: number, cw: number): void {
    this.#run('UPDATE person SET reached = max(reached, ?) WHERE conversation = ?', cw, conversation);
  }

  /** Whether a chat still has its own conversation or jobs. */
  isApart(chat: string): boolean {
    const own = 'SELECT 1 FROM person WHERE chat = ?1 AND answers_to = ?1 UNION ALL SELECT 1 FROM job WHERE lane = ?1 LIMIT 1';
    return this.#first(own, chat) !== null;
  }

  isReplying(chat: string): boolean {
    return this.#first("SELECT 1 FROM job WHERE lane = ? AND name LIKE 'look:%' LIMIT 1", chat) !== null;
  }

  lastReply(chat: string): string | null {
    const row = this.#first('SELECT message FROM answer WHERE chat = ? AND message IS NOT NULL ORDER BY at DESC, cw DESC LIMIT 1', chat);
    return row && textOrNull(row, 'message');
  }

  /** Keeps the conversation of `from`, but sends replies in it to `into`. */
  merge(from: string, into: string): void {
    const moved = this.person(into) === null ? TABLES_OF_CHATS : [];
    for (const table of moved) this.#run(`UPDATE ${table} SET chat = ? WHERE chat = ?`, into, from);
    this.#run('UPDATE person SET answers_to = ? WHERE answers_to = ?', into, from);
    this.#run('UPDATE job SET lane = ? WHERE lane = ?', into, from);
  }

  /** Deletes everything about a chat except the ids up to which its conversations have been handled. */
  forget(chat: string): void {
    const theirs = this.#all('SELECT conversation FROM person WHERE chat = ?1 UNION SELECT conversation FROM answer WHERE chat = ?1', chat);
    for (const id of theirs.flatMap((row) => numberOrNull(row, 'conversation') ?? [])) this.set(`reached:${id}`, String(this.highest(id)));
    for (const table of TABLES_OF_CHATS) this.#run(`DELETE FROM ${table} WHERE chat = ?`, chat);
    this.#run('DELETE FROM job WHERE lane = ?', chat);
  }

  jobs(): number {
    return number(this.#first('SELECT count(*) AS count FROM job') ?? {}, 'count');
  }

  /** If a job with the same name is running, it runs again afterwards. */
  add({ name, lane, body, once }: NewJob, now: number): void {
    if (once && this.#run('INSERT OR IGNORE INTO done VALUES (?, ?, ?)', name, lane, now) === 0) return;
    this.#run('INSERT INTO job (name, lane, body) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET rev = rev + 1', name, lane, body);
  }

  due(now: number): readonly Job[] {
    return this.#all(
      'SELECT * FROM job WHERE seq IN (SELECT min(seq) FROM job GROUP BY lane) AND not_before <= ? ORDER BY seq LIMIT 200',
      now,
    ).map(jobOf);
  }

  nextDue(): number | null {
    const row = this.#first('SELECT min(not_before) AS at FROM job WHERE seq IN (SELECT min(seq) FROM job GROUP BY lane)');
    return row && numberOrNull(row, 'at');
  }

  finish({ seq, rev }: Job): void {
    this.#run('DELETE FROM job WHERE seq = ? AND rev = ?', seq, rev);
    this.#run('UPDATE job SET tries = 0 WHERE seq = ?', seq);
  }

  postpone({ seq, tries }: Job, notBefore: number): void {
    this.#run('UPDATE job SET not_before = ?, tries = ? WHERE seq = ?', notBefore, tries + 1, seq);
  }

  move({ seq }: Job, lane: string): void {
    this.#run('UPDATE job SET lane = ? WHERE seq = ?', lane, seq);
  }

  isDone(name: string): boolean {
    return this.#first('SELECT 1 FROM done WHERE name = ?', name) !== null;
  }

  markDone(name: string, chat: string, now: number): void {
    this.#run('INSERT OR IGNORE INTO done VALUES (?, ?, ?)', name, chat, now);
  }

  mirror(source: string): Mirror | null {
    const row = this.#first('SELECT * FROM mirror WHERE source = ?', source);
    return row && mirrorOf(row);
  }

  mirrorOf(cw: number): Mirror | null {
    const row = this.#first('SELECT * FROM mirror WHERE cw = ?', cw);
    return row && mirrorOf(row);
  }

  highest(conversation: number): number {
    const row = this.#first(
      `SELECT max((SELECT coalesce(max(cw), 0) FROM mirror WHERE conversation = ?1),
                  (SELECT coalesce(max(cw), 0) FROM answer WHERE conversation = ?1),
                  (SELECT coalesce(max(reached), 0) FROM person WHERE conversation = ?1)) AS cw`,
      conversation,
    );
    return number(row ?? {}, 'cw');
  }

  ask(source: string, chat: string, conversation: number, now: number): void {
    this.#run(
      `INSERT INTO mirror VALUES (?, ?, ?, NULL, ?, ?) ON CONFLICT (source) DO UPDATE SET at = excluded.at,
       conversation = excluded.conversation, above = excluded.above`,
      ...[source, chat, conversation, this.highest(conversation), now],
    );
  }

  /**
   * Call this after Chatwoot has refused a request. The next attempt then does not search for the
   * message first.
   */
  unask(source: string): void {
    this.#run('DELETE FROM mirror WHERE source = ? AND cw IS NULL', source);
  }

  mirrored(source: string, cw: number): void {
    this.#run('UPDATE mirror SET cw = ? WHERE source = ?', cw, source);
  }

  answers(cw: number): readonly Answer[] {
    return this.#all('SELECT * FROM answer WHERE cw = ? ORDER BY part', cw).map(answerOf);
  }

  answerAs(message: string): Answer | null {
    const row = this.#first('SELECT * FROM answer WHERE message = ?', message);
    return row && answerOf(row);
  }

  saveAnswer({ cw, part, chat, conversation, media, message, status, askedAt }: Answer, now: number): void {
    this.#run(
      `INSERT INTO answer VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (cw, part) DO UPDATE SET media = excluded.media,
       message = excluded.message, status = excluded.status, asked_at = excluded.asked_at`,
      ...[cw, part, chat, conversation, media, message, status, askedAt, now],
    );
  }

  /** Pruned messages can no longer be quoted, edited or deleted through the bridge. */
  prune(before: number): void {
    for (const table of ['done', 'mirror', 'answer']) this.#run(`DELETE FROM ${table} WHERE at < ?`, before);
  }
}
