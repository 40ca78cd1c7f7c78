import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../../runtime/clock.ts';
import { newId } from '../../../runtime/ids.ts';
import { addressOf } from '../../../runtime/listening.ts';
import { scratchDirectory } from '../scratch.ts';
import { sendRequests } from './requests.ts';
import { report } from './serve.ts';

/**
 * The least that durable storage needs is one fully synchronous transaction for all bodies of a
 * tick.
 */
const db = new DatabaseSync(join(scratchDirectory(), 'accepted.db'));
db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE messages (_id TEXT PRIMARY KEY, doc TEXT NOT NULL)');
const insert = db.prepare('INSERT INTO messages VALUES (?, ?)');
let waiting: (() => void)[] = [];

const server = createServer(async (req, res) => {
  const doc = JSON.parse(await bodyOf(req));
  const id = newId(systemClock.now());
  await grouped(id, JSON.stringify(doc));
  const answer = JSON.stringify({ id, status: 'queued' });
  res.writeHead(202, { 'content-type': 'application/json; charset=utf-8', 'content-length': answer.length }).end(answer);
});

function bodyOf(req: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    let body = '';
    req.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    req.once('end', () => resolve(body));
  });
}

function grouped(id: string, doc: string): Promise<void> {
  if (waiting.length === 0) begin();
  insert.run(id, doc);
  return new Promise((resolve) => waiting.push(resolve));
}

function begin(): void {
  db.exec('BEGIN IMMEDIATE');
  setImmediate(() => {
    const told = waiting;
    waiting = [];
    db.exec('COMMIT');
    for (const tell of told) tell();
  });
}

server.listen(0, '127.0.0.1', () => {
  const { port } = addressOf(server);
  void report({ port, requests: sendRequests('/v1/sessions/01J9ZK3V5T8Q4W2N6R7X0Y1ABC/messages'), status: 202 });
});
