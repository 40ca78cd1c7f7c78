import type { Planted } from './plant.ts';

const LEFT: Readonly<Record<string, string>> = {
  openEventStream: 'does not end (`--only sse`)',
  getQr: 'answers while a device is being linked only',
  getPasskeyStep: 'answers while a device is being linked only',
  getPasskeyCeremony: 'the same, by the token of a browser',
  verifyOfficialWebhook: 'the platform asks once, with a token of the device',
  getSenderQr: 'answers while the sender is being linked only',
  getPasskey: 'one record by its id, which only a browser makes',
  downloadExport: 'a stream of an archive, made beforehand (docs/privacy.md)',
  getExport: 'one record by its id, of work that takes minutes here',
  getErasure: 'one record by its id, of work that takes minutes here',
  getContactsBulk: 'one record by its id, of work that is over',
  getContactImport: 'one record by its id, of work that is over',
  getMoveIn: 'one record by its id, of work that is over',
  getDocument: 'one record by its id, of a file that has to be read first',
  getMessageMedia: 'a stream from the disk',
  getMedia: 'a stream from the disk',
  getVotes: 'the votes of one message, as its row holds them',
  previewGroup: 'the phone answers it, of one group',
  getChannelByInvite: 'the phone answers it, of one channel',
  getStatus: 'one record by its id, of a status that is over after a day',
  listLabelledChats: 'the phone has none here',
  listChannelFollowers: 'the phone answers it',
  returnFromPayment: 'a redirection for browsers',
  sandboxPayPage: 'of the sandbox, which is no part of the gateway',
  readSandboxPhone: 'of the sandbox, which is no part of the gateway',
  getSandboxPhone: 'of the sandbox, which is no part of the gateway',
  readSandboxJournal: 'of the sandbox, which is no part of the gateway',
  getConsole: 'a file (`--only console`)',
};

/** Endpoints that query a phone need a device that is linked to the sandbox. */
export const OF_A_PHONE: ReadonlySet<string> = new Set([
  ...['getCapabilities', 'getNetworkAccount', 'getAccountPrivacy', 'getPerson', 'listBlockedPeople', 'getCallRules'],
  ...['getBusinessProfile', 'listProducts', 'listProductCollections', 'listChatLabels'],
  ...['listGroups', 'getGroup', 'exportGroupMembers', 'listGroupRequests', 'getGroupInvite'],
  ...['listCommunities', 'getCommunity', 'listCommunityGroups', 'listCommunityParticipants'],
  ...['listChannels', 'getChannel', 'listChannelMessages'],
]);

/** Query strings to request in addition to the plain path or, with `only`, instead of it. */
const QUERIES: Readonly<Record<string, { readonly only?: true; readonly queries: readonly string[] }>> = {
  listInbox: { queries: ['q=nobody', 'q=Person', 'q=member', 'unread=true', 'status=pending', 'tag=vip', 'before={middle}'] },
  listChats: { queries: ['q=nobody', 'unread=true', 'status=pending', 'before={middle}'] },
  listContacts: { queries: ['q=nobody', 'q=Person%20number%2077', 'tag=vip', 'group_id={group}', 'segment_id={segment}'] },
  exportContacts: { queries: ['segment_id={segment}'] },
  listMessages: {
    queries: [
      ...['status=failed', 'direction=inbound', 'type=poll', 'q=nobody', 'q=Anna', 'chat_id={chat}', 'chat_id={groupChat}'],
      ...['limit=100', 'before={middle}', 'since={middle}'],
    ],
  },
  listChatMessages: { queries: ['q=nobody'] },
  listConsent: { queries: ['status=opted_out', 'q=999999999'] },
  listDeliveries: { queries: ['status=failed', 'event=message.failed', 'webhook_id={webhook}'] },
  listBlastRecipients: { queries: ['status=failed'] },
  listAudit: { queries: ['action=key.create', 'target={person}', 'since={middle}'] },
  listOperatorAudit: { queries: ['action=key.create'] },
  pullEvents: { queries: ['limit=200'] },
  listMedia: { queries: ['before={middle}'] },
  listTenants: { queries: ['q=nobody', 'sort=worst'] },
  previewPrivacy: { only: true, queries: ['messages=30', 'media=30', 'webhooks=7', 'audit=365'] },
  getAnalyticsOverview: { queries: ['days=90'] },
  getAnalyticsDaily: { queries: ['days=90'] },
};

interface Asked {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

export interface RowCalls {
  readonly id: string;
  readonly calls: readonly { readonly name: string; readonly path: string }[];
  readonly left: string | null;
}

export interface Places extends Pick<Planted, 'device' | 'messageId' | 'chatId' | 'groupChatId' | 'middleAt'> {
  readonly phone: string;
  readonly ids: ReadonlyMap<string, string>;
}

/**
 * If `places` has no value for a parameter in the path of an endpoint, the endpoint gets neither
 * calls nor a reason for leaving it out (`left`). A test reports such endpoints.
 */
export function callsOf(rows: readonly Asked[], places: Places): readonly RowCalls[] {
  return rows.filter(({ method }) => method === 'GET').map((row) => callsOfOne(row, places));
}

function callsOfOne({ id, path }: Asked, places: Places): RowCalls {
  const left = LEFT[id] ?? null;
  const filled = filledIn(path, id, places);
  if (left !== null || filled === null) return { id, calls: [], left };
  const { only = false, queries = [] } = QUERIES[id] ?? {};
  const asked = queries.map((query) => {
    const named = query.replace(/\{(\w+)\}/g, (_all, name: string) => standsFor(name, places));
    return { name: `${id} ?${query}`, path: `${filled}?${named}` };
  });
  return { id, calls: only ? asked : [{ name: id, path: filled }, ...asked], left: null };
}

function filledIn(path: string, id: string, places: Places): string | null {
  const own: Readonly<Record<string, string>> = {
    sessionId: OF_A_PHONE.has(id) ? places.phone : places.device._id,
    messageId: places.messageId,
    chatId: encodeURIComponent(places.chatId),
    phone: '6281200000001',
    industry: 'retail',
  };
  let isWhole = true;
  const filled = path.replace(/\{(\w+)\}/g, (all, name: string, at: number) => {
    const value = own[name] ?? places.ids.get(path.slice(0, at - 1));
    isWhole &&= value !== undefined;
    return value ?? all;
  });
  return isWhole ? filled : null;
}

function standsFor(name: string, { chatId, groupChatId, middleAt, ids }: Places): string {
  const known: Readonly<Record<string, string | undefined>> = {
    ...{ chat: chatId, groupChat: groupChatId, middle: String(middleAt), person: '6281200000001' },
    ...{ group: ids.get('/v1/contact-groups'), segment: ids.get('/v1/segments'), webhook: ids.get('/v1/webhooks') },
  };
  return encodeURIComponent(known[name] ?? '');
}

export const leftRows: readonly string[] = Object.keys(LEFT);
