import { serveJobs } from '../../../../runtime/child-processes/serve-jobs.ts';
import { type Convertible, converted } from './convert.ts';
import { jsonRows } from './json-rows.ts';
import { type FilePart, readRows } from './read-rows.ts';

export type ImportOrder = { readonly read: 'rows'; readonly part: Omit<FilePart, 'bytes'> } | { readonly read: 'json' | Convertible };

const MAX_NAMED = 100;

const isOrder = (order: unknown): order is ImportOrder => typeof order === 'object' && order !== null && 'read' in order;

serveJobs(async (order, { input, put, write }) => {
  if (!isOrder(order)) return;
  if (order.read === 'json') {
    const { head, rows } = jsonRows(input);
    put(head);
    for (const row of rows) write(row);
    return;
  }
  if (order.read !== 'rows') {
    const table = await converted(order.read, input);
    if ('fault' in table) return put(table);
    put({ ok: true, others: table.others.slice(0, MAX_NAMED) });
    for (const line of table.lines) write(Buffer.from(line));
    return;
  }
  const { contacts, errors, persons, ...end } = readRows({ ...order.part, bytes: input });
  for (const contact of contacts) put({ contact });
  for (const error of errors) put({ error });
  for (const person of persons) put({ person });
  put({ end });
});
