import { isDeepStrictEqual } from 'node:util';
import { fairSlices } from '../../../runtime/fair-slices.ts';
import { inChunks } from '../../../runtime/in-chunks.ts';
import { type AccountOwner, linkedDevice } from '../../../store/devices/linked.ts';
import type { Asking, Groups, ToldGroup } from '../../../store/groups/groups.ts';
import type { GroupRecord } from '../../network/groups.ts';
import type { AnswerOf, InputOf, QuestionName } from '../../network/questions.ts';
import { addressesOf } from './join-requests.ts';

export interface Answered {
  readonly by: AccountOwner;
  readonly askedAt: number;
  readonly now: number;
}

/** Stores responses in order of arrival. Returns null for a list, which is too long to be returned. */
export type KeepAnswer = <N extends QuestionName>(
  answered: Answered,
  name: N,
  input: InputOf<N>,
  answer: AnswerOf<N>,
) => Promise<AnswerOf<N> | null>;

type Keeper<N extends QuestionName> = (answered: Answered, input: InputOf<N>, answer: AnswerOf<N>) => Promise<unknown>;

const SLICE = 50;

const told = (record: GroupRecord): ToldGroup<GroupRecord> => ({ group_id: record.id, subject: record.subject, record });

export function createAnswerKeeper({ groups }: { readonly groups: Groups<GroupRecord> }): KeepAnswer {
  const put = ({ by, now }: Answered, record: GroupRecord) => groups.put(by, told(record), now);
  const remove = ({ by }: Answered, { id }: { readonly id: string }) => groups.remove(linkedDevice(by), id);

  /** Writes only groups that are new or have changed, which are few after a short absence. */
  async function keepList({ by, askedAt, now }: Answered, records: readonly GroupRecord[]): Promise<void> {
    const device = linkedDevice(by);
    const known = new Map((await groups.of(device)).map((row) => [row.group_id, row.record]));
    for (const some of inChunks(records, SLICE)) {
      await groups.putNew(by, some.filter(({ id }) => !known.has(id)).map(told), now);
      const changed = some.filter((record) => known.has(record.id) && !isDeepStrictEqual(known.get(record.id), record));
      for (const record of changed) await groups.put(by, told(record), now);
      await fairSlices.turn(by.owner.tenantId);
    }
    await groups.keepOnly(
      device,
      records.map(({ id }) => id),
      askedAt,
    );
  }

  /** Replaces stored requests, because an outdated one would make a later addition look like an approval. */
  async function keepRequests({ by }: Answered, groupId: string, people: readonly Asking[]): Promise<void> {
    const device = linkedDevice(by);
    const known = (await groups.find(device, groupId))?.requests ?? [];
    const asking = people.map(addressesOf);
    if (!isDeepStrictEqual(known, asking)) await groups.setRequests(device, groupId, asking);
  }

  const keepers: { readonly [N in Kept]: Keeper<N> } = {
    'groups.list': (answered, _input, records) => keepList(answered, records),
    'groups.get': (answered, _input, record) => put(answered, record),
    'groups.create': (answered, _input, { group }) => put(answered, group),
    'communities.create': (answered, _input, record) => put(answered, record),
    'groups.requests': (answered, { id }, people) => keepRequests(answered, id, people),
    'groups.leave': remove,
    'communities.end': remove,
  };
  const ofAll: { readonly [N in QuestionName]?: Keeper<N> } = keepers;

  return async (answered, name, input, answer) => {
    await ofAll[name]?.(answered, input, answer);
    return name === 'groups.list' ? null : answer;
  };
}

const KEPT = [
  'groups.list',
  'groups.get',
  'groups.create',
  'groups.requests',
  'groups.leave',
  'communities.create',
  'communities.end',
] as const;
type Kept = (typeof KEPT)[number];

export const isKept = (name: QuestionName): boolean => KEPT.some((one) => one === name);
