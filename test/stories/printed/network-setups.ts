import { sandboxVerbs } from '../../../actors/network/sandbox/api.ts';
import { CUSTOMER } from '../../isolation/belongings.ts';
import type { Gateway, Tenant } from '../../support/gateway.ts';
import type { Scene, Setup } from './setups.ts';

const SESSION = '/v1/sessions/{sessionId}';
const STRANGER = '6281990009901';

/** A picture as the network takes it. */
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex');

/** One of each that a device has on the network, by the path that ends before its id. */
export async function onTheNetwork(gateway: Gateway, { api }: Tenant, path: string): Promise<ReadonlyMap<string, string>> {
  const made = async (what: string, body: object) => (await gateway.during(api('POST', `${path}/${what}`, body))).body;
  const group = await made('groups', { subject: 'Customers', participants: [`+${CUSTOMER}`] });
  const community = await made('communities', { subject: 'All of us', description: 'Everybody' });
  const part = await made(`communities/${community.id}/groups`, { subject: 'North' });
  const channel = await made('channels', { name: 'Daily news' });
  const status = await made('status', { type: 'text', body: 'Hi', recipients: [`+${CUSTOMER}`] });
  const product = await made('catalog/products', { name: 'Scarf', price: 1_000, currency: 'IDR' });
  const { code } = (await gateway.during(api('GET', `${path}/groups/${group.id}/invite`))).body;
  return new Map([
    [`${SESSION}/groups`, group.id],
    [`${SESSION}/groups/invite`, code],
    [`${SESSION}/communities`, community.id],
    [`${SESSION}/communities/{communityId}/groups`, part.id],
    [`${SESSION}/channels`, channel.id],
    [`${SESSION}/channels/invite`, channel.code],
    [`${SESSION}/status`, status.id],
    [`${SESSION}/catalog/products`, product.id],
    [`${SESSION}/labels`, (await made('labels', { name: 'Regular', color: 1 })).id],
  ]);
}

const asked = ({ gateway, acme, path }: Scene, method: string, what: string, body?: object) =>
  gateway.during(acme.api(method, `${path}/${what}`, body));

/** A fresh one that may end. */
const fresh =
  (what: string, body: object): Setup =>
  async (scene) => ({ path: `${scene.path}/${what}/${(await asked(scene, 'POST', what, body)).body.id}` });

type Act = Parameters<ReturnType<typeof sandboxVerbs>['act']>[1];

/** What somebody else has on the network. */
const ofStranger = ({ gateway }: Scene, act: Act): { readonly id: string; readonly code: string } =>
  JSON.parse(JSON.stringify(sandboxVerbs(gateway.sandbox).act(STRANGER, act)));

async function picture({ gateway, acme }: Scene): Promise<{ readonly raw: { readonly type: string; readonly body: string } }> {
  const headers = { authorization: `Bearer ${acme.tokens.token}`, 'content-type': 'image/jpeg' };
  const stored = await fetch(`${gateway.node.url}/v1/media/upload?filename=a.jpg`, { method: 'POST', body: JPEG, headers });
  const { key } = (await stored.json()) as { key: string };
  return { raw: { type: 'application/json', body: JSON.stringify({ media_r2_key: key }) } };
}

async function album(scene: Scene): Promise<{ readonly raw: { readonly type: string; readonly body: string } }> {
  const { raw } = await picture(scene);
  const { media_r2_key } = JSON.parse(raw.body);
  return { raw: { ...raw, body: JSON.stringify({ chat_id: '+6281234567890', media: [{ media_r2_key }, { media_r2_key }] }) } };
}

export const NETWORK_SETUPS: Readonly<Record<string, Setup>> = {
  sendAlbum: album,
  // A page, not an interface: any path is one.
  getConsole: () => ({ path: '/console/sign-in' }),
  joinGroup: (scene) => ({
    fields: { code: ofStranger(scene, { act: 'create_group', subject: 'Theirs', participants: [] }).code },
  }),
  setGroupPicture: picture,
  setAccountPicture: picture,
  followChannel: (scene) => ({
    path: `${scene.path}/channels/${ofStranger(scene, { act: 'create_channel', name: 'Theirs' }).id}/follow`,
  }),
  unfollowChannel: async (scene) => {
    const { id } = ofStranger(scene, { act: 'create_channel', name: 'Theirs, too' });
    await asked(scene, 'POST', `channels/${id}/follow`);
    return { path: `${scene.path}/channels/${id}/unfollow` };
  },
  unblockPerson: async (scene) => {
    await asked(scene, 'POST', 'blocklist', { phone: `+${CUSTOMER}` });
    return {};
  },
  // Others of these requests opt the printed number out.
  publishStatus: () => ({ fields: { recipients: [`+${STRANGER}`] } }),
  leaveGroup: fresh('groups', { subject: 'For a day', participants: [`+${CUSTOMER}`] }),
  endCommunity: fresh('communities', { subject: 'For a day', description: 'x' }),
  deleteChannel: fresh('channels', { name: 'For a day' }),
  deleteChatLabel: fresh('labels', { name: 'For a day', color: 2 }),
  unlabelChat: async (scene) => {
    const { id } = (await asked(scene, 'POST', 'labels', { name: 'Once', color: 4 })).body;
    await asked(scene, 'PUT', `labels/${id}/chats/${CUSTOMER}`);
    return { path: `${scene.path}/labels/${id}/chats/${CUSTOMER}` };
  },
};
