import { type Contacts, folded } from '../../../../store/contacts/contacts.ts';
import type { Identities } from '../../../../store/identities/identities.ts';
import { readSliced } from '../../../../store/paging/read-sliced.ts';
import { twinsOf } from '../../../domain/numbers/twins.ts';
import { isLid } from '../../../network/jid.ts';
import type { StandingNumbers } from '../standing-numbers.ts';
import type { ImportedContact, RowError } from './cells.ts';

/**
 * Finds rows that contradict what the network says about a person: their hidden address or username
 * belongs to someone else, or two rows claim it for different people. Invariant: an import never
 * merges two people.
 */

export interface ContradictionDeps {
  readonly contacts: Pick<Contacts, 'byPhones' | 'byUsernames'>;
  readonly identities: Pick<Identities, 'addressesOf'>;
  readonly standing: StandingNumbers;
}

interface Checked {
  readonly named: readonly ImportedContact[];
  readonly contradicting: readonly RowError[];
}

/** Numbers in `rows` must be canonical. */
export async function withoutContradictions(deps: ContradictionDeps, tenantId: string, rows: readonly ImportedContact[]): Promise<Checked> {
  const paired = rows.filter(({ by, lid }) => by === 'phone' && lid !== undefined);
  const titled = rows.filter(({ username }) => username !== undefined);
  if (paired.length === 0 && titled.length === 0) return { named: rows, contradicting: [] };
  const isOthers = { lid: await lidsOfOthers(deps, tenantId, paired), username: await usernamesOfOthers(deps, tenantId, titled) };
  const contradicting = rows.flatMap((row): readonly RowError[] =>
    (['lid', 'username'] as const).flatMap((field) =>
      isOthers[field](row) ? [{ row: row.row, field, error: THEIRS[field], code: 'contradicting_identity' }] : [],
    ),
  );
  const wrong = new Set(contradicting.map(({ row }) => row));
  return { named: rows.filter(({ row }) => !wrong.has(row)), contradicting };
}

type Test = (row: ImportedContact) => boolean;

async function lidsOfOthers(
  { contacts, identities, standing }: ContradictionDeps,
  tenantId: string,
  paired: readonly ImportedContact[],
): Promise<Test> {
  const lids = [...new Set(paired.flatMap(({ lid }) => lid ?? []))];
  const phones = [...new Set(paired.map(({ phone }) => phone))];
  const numbers = await standing(tenantId, lids);
  const hidden = new Set((await readSliced(tenantId, lids, (some) => contacts.byPhones(tenantId, some))).map(({ phone }) => phone));
  const own = await identities.addressesOf(tenantId, phones);
  const claimed = claims(paired, ({ lid = '' }) => lid);
  return ({ by, phone, lid }) => {
    if (by !== 'phone' || lid === undefined) return false;
    const known = numbers.get(lid);
    if (known !== undefined) return known !== phone;
    const others = (own.get(phone) ?? []).filter(isLid);
    return hidden.has(lid) || others.length > 0 || claimed(lid) > 1;
  };
}

async function usernamesOfOthers({ contacts }: ContradictionDeps, tenantId: string, titled: readonly ImportedContact[]): Promise<Test> {
  const names = [...new Set(titled.flatMap(({ username }) => username ?? []))];
  const rows = await readSliced(tenantId, names, (some) => contacts.byUsernames(tenantId, some));
  const owners = Map.groupBy(rows, ({ username }) => folded(username ?? ''));
  const claimed = claims(
    titled.filter(({ by }) => by === 'lid'),
    ({ username = '' }) => folded(username),
  );
  return ({ by, phone, username }) => {
    if (username === undefined || by === 'username') return false;
    const name = folded(username);
    return (owners.get(name) ?? []).some((owner) => owner.phone !== phone) || (by === 'lid' && claimed(name) > 1);
  };
}

function claims(rows: readonly ImportedContact[], of: (row: ImportedContact) => string): (what: string) => number {
  const byWhat = Map.groupBy(rows, of);
  const people = new Map([...byWhat].map(([what, own]) => [what, new Set(own.map(({ phone }) => formOf(phone))).size]));
  return (what) => people.get(what) ?? 0;
}

const formOf = (subject: string): string => (isLid(subject) ? subject : ([subject, ...twinsOf(subject)].toSorted()[0] ?? subject));

const THEIRS: Readonly<Record<'lid' | 'username', RowError['error']>> = {
  lid: {
    en: 'this hidden address cannot be matched to this person; only the network can confirm its owner',
    id: 'alamat tersembunyi ini tidak dapat dicocokkan dengan orang ini; hanya jaringan yang dapat memastikan pemiliknya',
  },
  username: { en: 'this username belongs to another person', id: 'nama pengguna ini milik orang lain' },
};
