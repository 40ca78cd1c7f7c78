import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { present } from '../../runtime/invariant.ts';
import { type BenchRow, measure, type Subject } from './store-load.ts';

const INDEXED = ['netId', 'session', 'createdAt', 'lane', 'status'] as const;

/** `columns` stores the indexed fields in columns next to the JSON; `expressions` indexes the JSON. */
await measure((path) => {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536');
  return process.argv.includes('expressions') ? byExpressions(db) : byColumns(db);
});

function byColumns(db: DatabaseSync): Subject {
  db.exec(`CREATE TABLE rows (_id TEXT PRIMARY KEY, doc TEXT, ${INDEXED.join(', ')})`);
  index(db, (field) => field);
  const insert = db.prepare('INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?)');
  const find = db.prepare('SELECT rowid AS row, doc, status FROM rows WHERE _id = ?');
  const update = db.prepare('UPDATE rows SET doc = ?, status = ? WHERE rowid = ?');
  return grouped(db, {
    insert: (row) => void insert.run(row._id, JSON.stringify(row), row.netId, row.session, row.createdAt, row.lane, row.status),
    find: (id) => JSON.parse(String(rowOf(find, id)['doc'])),
    claim(id, epoch) {
      const found = rowOf(find, id);
      const row: BenchRow = JSON.parse(String(found['doc']));
      if (row.status !== 'queued' || row.epoch > epoch) return false;
      update.run(
        JSON.stringify({ ...row, status: 'sending', attempts: row.attempts + 1, claimedAt: epoch }),
        'sending',
        present(found['row'], 'a row number'),
      );
      return true;
    },
  });
}

function byExpressions(db: DatabaseSync): Subject {
  db.exec('CREATE TABLE rows (_id TEXT PRIMARY KEY, doc TEXT)');
  index(db, (field) => (field === '_id' ? field : `(doc->>'$.${field}')`));
  const insert = db.prepare('INSERT INTO rows VALUES (?, ?)');
  const find = db.prepare('SELECT doc FROM rows WHERE _id = ?');
  const claim = db.prepare(
    `UPDATE rows SET doc = json_set(doc, '$.status', 'sending', '$.claimedAt', ?, '$.attempts', doc->>'$.attempts' + 1)
     WHERE _id = ? AND doc->>'$.status' = 'queued' AND doc->>'$.epoch' <= ?`,
  );
  return grouped(db, {
    insert: (row) => void insert.run(row._id, JSON.stringify(row)),
    find: (id) => JSON.parse(String(rowOf(find, id)['doc'])),
    claim: (id, epoch) => claim.run(epoch, id, epoch).changes === 1,
  });
}

function rowOf(statement: StatementSync, id: string) {
  return present(statement.get(id), `the row ${id}`);
}

function index(db: DatabaseSync, field: (name: string) => string): void {
  db.exec(`CREATE UNIQUE INDEX net ON rows (${field('session')}, ${field('netId')})`);
  db.exec(`CREATE INDEX log ON rows (${field('session')}, ${field('createdAt')} DESC, _id DESC)`);
  db.exec(`CREATE INDEX queue ON rows (${field('session')}, ${field('lane')}, _id) WHERE ${field('status')} = 'queued'`);
  db.exec(`CREATE INDEX on_the_wire ON rows (${field('session')}, _id) WHERE ${field('status')} = 'sending'`);
}

function grouped(db: DatabaseSync, work: Pick<Subject, 'insert' | 'find' | 'claim'>): Subject {
  const inTransaction = <A extends readonly unknown[], R>(run: (...args: A) => R): ((...args: A) => R) => {
    return (...args) => {
      if (!db.isTransaction) db.exec('BEGIN');
      return run(...args);
    };
  };
  return {
    insert: inTransaction(work.insert),
    find: work.find,
    claim: inTransaction(work.claim),
    settle: () => void (db.isTransaction && db.exec('COMMIT')),
    close: () => db.close(),
  };
}
