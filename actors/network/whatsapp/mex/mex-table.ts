import { keysOf } from '../../../../runtime/keys-of.ts';

/** Ids of stored queries (`w:mex`). They change, so the first id that the network knows is used. */
const MEX_IDS = {
  create: ['25149874324715067', '8823471724422422'],
  update: ['24250201037901610'],
  get: ['27456920720571478', '6563316087068696'],
  list: ['25399611239711790', '6388546374527196'],
  followers: ['27472091235714801'],
  follow: ['24404358912487870'],
  unfollow: ['9767147403369991'],
  mute: ['29766401636284406'],
  unmute: ['9864994326891137'],
  delete: ['30062808666639665'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type MexName = keyof typeof MEX_IDS;
export type MexTable = Readonly<Record<MexName, readonly string[]>>;

export interface Mex {
  readonly ids: MexTable;
  unknown(name: MexName): void;
}

export const MEX_NAMES: readonly MexName[] = keysOf(MEX_IDS);

/** Puts the operator's ids first, because the network may change ids between our releases. */
export function mexTable(own: Partial<MexTable> = {}): MexTable {
  const of = (name: MexName): readonly string[] => [...new Set([...(own[name] ?? []), ...MEX_IDS[name]])];
  return {
    ...{ create: of('create'), update: of('update'), delete: of('delete'), get: of('get'), list: of('list') },
    ...{ followers: of('followers'), follow: of('follow'), unfollow: of('unfollow'), mute: of('mute'), unmute: of('unmute') },
  };
}
