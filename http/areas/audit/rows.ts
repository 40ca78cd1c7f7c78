import { Readable } from 'node:stream';
import Joi from 'joi';
import type { AuditFilter, AuditLog } from '../../../store/audit/audit-log.ts';
import type { AuditRow } from '../../../store/audit/entry.ts';
import { type Page, readPage } from '../../../store/paging/page.ts';
import { nextOf, pageIn } from '../../core/paging.ts';
import { type Area, type OperatorCall, Raw, rowsFor } from '../../core/row.ts';
import { AuditEntries, type AuditQuery, AuditVerdictSchema, auditQuery, toEntry } from './schemas.ts';

export interface AuditServices {
  readonly auditLog: AuditLog;
}

const row = rowsFor<AuditServices>();

export const audit: Area<AuditServices> = {
  name: 'audit',
  about:
    'A record of who did what. Each entry is stored together with its change and contains a keyed hash of the previous entry. Verification detects entries that were ' +
    'changed, removed, moved or inserted, and reports their numbers.',
  rows: [
    row({
      id: 'listAudit',
      method: 'GET',
      path: '/v1/audit',
      summary: 'List audit entries',
      about: 'List audit entries, newest first',
      access: 'owner',
      query: auditQuery,
      status: 200,
      returns: AuditEntries,
      run: ({ auditLog }, { caller, query }) =>
        listed(caller.tenantId, query, (filter, page) => auditLog.list(caller.tenantId, filter, page)),
    }),
    row({
      id: 'exportAudit',
      method: 'GET',
      path: '/v1/audit/export',
      heavy: true,
      summary: 'Export the audit log',
      about: 'Export the audit log as NDJSON, oldest first, with the hashes that let you verify it elsewhere',
      audit: { action: 'audit.export' },
      stepUp: true,
      access: 'owner',
      status: 200,
      produces: ['application/x-ndjson'],
      samples: { 'application/x-ndjson': '{"seq":1,"at":1767225600000,"action":"key.create","result":"ok"}\n' },
      returns: Joi.string(),
      run: ({ auditLog }, { caller }) =>
        new Raw(Readable.from(lines(auditLog.all(caller.tenantId)), { objectMode: false }), 'application/x-ndjson', 200, {
          'content-disposition': 'attachment; filename="audit.ndjson"',
        }),
    }),
    row({
      id: 'verifyAudit',
      method: 'GET',
      path: '/v1/audit/verify',
      heavy: true,
      summary: 'Verify the audit log',
      about: 'Check the audit log from its first entry to its last',
      access: 'owner',
      status: 200,
      returns: AuditVerdictSchema,
      run: ({ auditLog }, { caller }) => auditLog.verify(caller.tenantId),
    }),
  ],
};

export const operatorAudit: Area<AuditServices> = {
  name: 'operator audit',
  about: 'Actions of operators on any tenant or node.',
  rows: [
    row({
      id: 'listOperatorAudit',
      method: 'GET',
      path: '/v1/admin/audit',
      summary: "List operators' audit entries",
      about: 'List the actions of operators, newest first. `seq` is the number in the log of the affected tenant',
      access: 'operator',
      query: auditQuery,
      status: 200,
      returns: AuditEntries,
      run: ({ auditLog }, { query }: OperatorCall<unknown, AuditQuery, unknown>) => listed('operator', query, auditLog.byOperators),
    }),
  ],
};

async function listed(
  owner: string,
  { limit, before, before_id, ...filter }: AuditQuery,
  list: (filter: AuditFilter, page: Page) => AsyncIterable<AuditRow>,
): Promise<object> {
  const { entries, next } = await readPage({
    owner,
    page: pageIn({ limit, before, before_id }),
    list: (page) => list(filter, page),
    placeOf: ({ at, _id }) => ({ at, id: _id }),
    show: (rows) => rows.map(toEntry),
  });
  return { entries, ...nextOf(next) };
}

async function* lines(rows: AsyncIterable<AuditRow>): AsyncGenerator<string> {
  for await (const row of rows) {
    const { detail, commitment, prev, mac, ...more } = row;
    yield `${JSON.stringify({ ...toEntry(row), chain: { ...more, commitment, prev, mac, detail } })}\n`;
  }
}
