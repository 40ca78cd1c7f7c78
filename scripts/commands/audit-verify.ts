import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { asError } from '../../runtime/errors.ts';
import { createSealer } from '../../runtime/sealing/seal.ts';
import { memberOf } from '../../runtime/shapes.ts';
import { auditLogIn } from '../../store/audit/audit-log.ts';
import type { ChainHead } from '../../store/audit/chain.ts';
import { AUDIT_FAULTS, type AuditFault, type AuditFaultKind, ChainCheck } from '../../store/audit/check-chain.ts';
import { checkLogs } from '../../store/audit/check-logs.ts';
import type { AuditRow } from '../../store/audit/entry.ts';
import { keptAuditKey } from '../wiring/audit-key.ts';
import { readConfig } from '../wiring/config.ts';
import { openLog } from '../wiring/log.ts';
import { openStore } from '../wiring/node.ts';
import { secretsFor } from '../wiring/secrets.ts';

/** Bits of the exit code, which are combined over all logs. */
const ENTRIES = 1;
const NOT_CHECKED = 2;
const CUT = 4;
const UNREADABLE = 8;
const LEFTOVER = 16;

const EXIT: Readonly<Record<AuditFaultKind, number>> = {
  changed: ENTRIES,
  moved: ENTRIES,
  missing: ENTRIES,
  detail_removed: ENTRIES,
  anchor_changed: ENTRIES,
  cut_off: CUT,
  head_missing: CUT,
  log_missing: CUT,
  unreadable: UNREADABLE,
};

/** Usage: `npm run audit:verify [-- export.ndjson | -- --heads node.log]`. See docs/audit.md. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: { heads: { type: 'string' } }, allowPositionals: true });
  const [file] = positionals;
  if (positionals.length > 1 || (file && values.heads)) throw new Error('Give one exported log, or --heads with the log of a node.');
  const config = readConfig(process.env);
  const { audit, deviceKeys } = secretsFor(config);
  // Tries the given key first, because the stored key cannot be read while a node with an embedded
  // store is running.
  const first = file ? await checkedFile(file, audit) : null;
  if (first && (first.faults.length === 0 || config.audit_key !== null)) return told('', first);
  if (first) say('The log does not match the key derived from JWT_SECRET. The key in the store, which may differ, is tried next.');
  const store = await openStore(config, openLog({ level: 'warn', base: {} }));
  try {
    const key = await keptAuditKey(store, createSealer(deviceKeys), audit);
    if (file) return told('', await checkedFile(file, key));
    const log = auditLogIn(store, key);
    await store.prepare();
    let exit = 0;
    for await (const one of checkLogs(log, store, values.heads ? await publishedIn(values.heads) : undefined)) {
      const { faults = [], from_seq, to_seq } = one;
      if (one.isLeftover) say(`${one.log}: entries up to ${to_seq} belong to an account that does not exist.`);
      exit |= one.isLeftover ? LEFTOVER : told(`${one.log}: `, { from: from_seq, seq: to_seq, faults });
    }
    return exit;
  } finally {
    await store.close();
  }
}

/** `from` and `seq` are the numbers of the first and the last entry. */
interface Checked {
  readonly from: number;
  readonly seq: number;
  readonly faults: readonly AuditFault[];
}

async function checkedFile(file: string, key: Buffer): Promise<Checked> {
  let check: ChainCheck | null = null;
  let from = 1;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const row = entryOf(line);
    if (!check && row) from = row.seq;
    check ??= new ChainCheck(key, row && { seq: row.seq - 1, mac: row.prev }, []);
    check.take({ seq: row?.seq ?? check.seq + 1, row });
  }
  return { from, seq: check?.seq ?? 0, faults: check?.faults ?? [] };
}

function entryOf(line: string): AuditRow | null {
  const { chain }: { readonly chain?: AuditRow } = parsed(line);
  return Number.isSafeInteger(memberOf(chain, 'seq')) ? (chain ?? null) : null;
}

async function publishedIn(file: string): Promise<ReadonlyMap<string, readonly ChainHead[]>> {
  const published = new Map<string, ChainHead[]>();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (!line.includes('"audit.head"')) continue;
    const {
      event,
      tenant = '',
      seq = 0,
      mac = '',
    }: Partial<ChainHead> & { readonly event?: string; readonly tenant?: string } = parsed(line);
    if (event === 'audit.head') published.set(tenant, [...(published.get(tenant) ?? []), { seq, mac }]);
  }
  return published;
}

function parsed(line: string): object {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}

function told(log: string, { from, seq, faults }: Checked): number {
  if (faults.length === 0) say(`${log}entries ${from} to ${seq} are unchanged.`);
  for (const fault of faults) say(`${log}entry ${fault.seq}: ${AUDIT_FAULTS[fault.fault]}.`);
  return faults.reduce((exit, { fault }) => exit | EXIT[fault], 0);
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

process.exitCode = await main().catch((cause: unknown) => {
  process.stderr.write(`${asError(cause).message}\n`);
  return NOT_CHECKED;
});
