import type { LTHashState } from '@whiskeysockets/baileys';
import { Refusal } from '../../../../runtime/errors.ts';
import type { BinaryNode, proto } from '../library.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';
import { type Collection, REFUSED, SYNC, settingKeys } from './push-patch.ts';
import { ask, child, el } from './query.ts';

/** A page of settings. Callers store it and its position together, and then acknowledge the notice. */
export interface SettingsPage {
  readonly state: LTHashState;
  readonly hasMore: boolean;
  readonly isWhole: boolean;
  readonly mutations: readonly ReadSetting[];
  /** The changes as they were received, still encrypted. Oldest first. */
  readonly sealed: readonly proto.ISyncdMutation[];
}

export interface ReadSetting {
  readonly index: unknown;
  readonly value: proto.ISyncActionValue | null | undefined;
}

type Reading = Pick<ConnectionContext, 'socket' | 'library' | 'tunnel'>;

/** Fails with CONFLICT for an invalid patch, because other devices would reject changes based on it. */
export async function readSettings(context: Reading, collection: Collection, before: LTHashState): Promise<SettingsPage> {
  const { library, tunnel, socket } = context;
  const { version } = before;
  const wanted = el('collection', { name: collection, version: `${version}`, return_snapshot: `${version === 0}` });
  const answer = await ask(context, SYNC, [el('sync', {}, [wanted])]);
  const [key, ways] = [settingKeys(context), tunnel?.downloads ?? {}];
  let isSound = true;
  const log = Object.assign(Object.create(socket.logger), { warn: () => (isSound = false) });
  const { patches, snapshot, hasMorePatches } = (await library.extractSyncdPatches(answer, ways))[collection] ?? NOTHING;
  // Keep these lists. The library adds mutations to them, and then removes the lists from the patches.
  const lists = patches.map(({ mutations }) => mutations ?? []);
  const fresh = snapshot ? await library.decodeSyncdSnapshot(collection, snapshot, key, undefined, true, log) : null;
  const later = await library.decodePatches(collection, [...patches], fresh?.state ?? before, key, ways, undefined, log, true);
  if (!isSound) throw new Refusal('CONFLICT', { reason: REFUSED });
  const { SET } = library.proto.SyncdMutation.SyncdOperation;
  return {
    state: later.state,
    hasMore: hasMorePatches,
    isWhole: fresh !== null,
    mutations: [...Object.values(fresh?.mutationMap ?? {}), ...Object.values(later.mutationMap)].map(({ index, syncAction }) => ({
      index,
      value: syncAction.value,
    })),
    sealed: [...(snapshot?.records ?? []).map((record) => ({ operation: SET, record })), ...lists.flat()],
  };
}

/** Acknowledges a notice once all collections that it names have been read and stored. */
export function takeSettingsNotices(
  context: Omit<ConnectionContext, 'labels' | 'chatMarks'>,
  collection: string,
  read: () => Promise<unknown>,
): void {
  const { ws, sendMessageAck } = context.socket;
  const others = ws.listeners('CB:notification');
  const pass = (notice: BinaryNode): Promise<unknown> => Promise.all(others.map(async (receive) => receive(notice)));
  ws.removeAllListeners('CB:notification');
  ws.on('CB:notification', (notice: BinaryNode) => {
    const rest = notice.attrs['type'] === 'server_sync' ? without(notice, collection) : null;
    if (!rest) return attempt(context, 'a notice', () => pass(notice));
    attempt(context, `reading ${collection}`, async () => {
      await read();
      await context.credentialBuffer.durable();
      if (child(rest, 'collection')) await pass(rest);
      else await sendMessageAck(notice);
    });
  });
}

function without(notice: BinaryNode, collection: string): BinaryNode | null {
  const inside = Array.isArray(notice.content) ? notice.content : [];
  const content = inside.filter(({ tag, attrs }) => tag !== 'collection' || attrs['name'] !== collection);
  return content.length < inside.length ? { ...notice, content } : null;
}

const NOTHING = { patches: [], snapshot: undefined, hasMorePatches: false };
