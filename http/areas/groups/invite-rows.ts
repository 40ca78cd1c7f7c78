import Joi from 'joi';
import { type Area, type DeviceCall, rowsFor, type Upload } from '../../core/row.ts';
import { askNetwork, NETWORK_REFUSALS } from '../network-features/ask.ts';
import { type PictureUploadServices, pictureBytes, withPicture } from '../network-features/picture.ts';
import { Line } from '../network-features/texts.ts';
import { inSession } from '../params.ts';
import { byCode, inGroup } from './params.ts';
import { GroupId, GroupSchema } from './schemas.ts';
import { type GroupServices, groupAfter } from './services.ts';

export interface GroupPictureServices extends GroupServices, PictureUploadServices {}

const row = rowsFor<GroupPictureServices>();

const LINK = 'https://chat.whatsapp.com/';
const invitation = (code: string) => ({ code, url: `${LINK}${code}` });
const Invitation = Joi.object({ code: Joi.string().required(), url: Joi.string().required().example(`${LINK}AbCdEfGhIjKlMnOpQrStUv`) });

const Joined = Joi.alternatives(
  Joi.object({ joined: Joi.valid(true).required(), id: GroupId.allow(null).required() }),
  Joi.object({ requested: Joi.valid(true).required() }),
);

export const groupInvites: Area<GroupPictureServices> = {
  name: 'group invitations',
  about: 'The invitation link and the picture of a group',
  rows: [
    row({
      id: 'getGroupInvite',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/groups/{groupId}/invite',
      summary: 'Get the invitation link',
      about: 'Get the invitation link of a group. The device must be an admin. Not for agents, because anyone can join with the link',
      access: 'bearer',
      deviceKeys: true,
      params: inGroup,
      status: 200,
      returns: Invitation,
      refuses: NETWORK_REFUSALS,
      run: async (services, { device, params }) =>
        invitation((await askNetwork(services, device, 'groups.invite', { id: params.groupId })).code),
    }),
    row({
      id: 'revokeGroupInvite',
      method: 'DELETE',
      path: '/v1/sessions/{sessionId}/groups/{groupId}/invite',
      summary: 'Revoke the invitation link',
      about: 'Revoke the invitation link and return the new one',
      audit: { action: 'group.invite_revoke' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inGroup,
      status: 200,
      returns: Invitation,
      refuses: NETWORK_REFUSALS,
      run: async (services, { device, params }) =>
        invitation((await askNetwork(services, device, 'groups.renewInvite', { id: params.groupId })).code),
    }),
    row({
      id: 'previewGroup',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/groups/invite/{code}',
      summary: 'Preview a group',
      about: 'Show the group of an invitation link before you join. 404 if the link was revoked or never existed',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: byCode,
      status: 200,
      returns: Joi.object({
        id: GroupId.required(),
        subject: Joi.string().allow('').required(),
        size: Joi.number().allow(null).required(),
      }),
      refuses: NETWORK_REFUSALS,
      run: (services, { device, params }) => askNetwork(services, device, 'groups.preview', { code: params.code }),
    }),
    row({
      id: 'joinGroup',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/groups/join',
      summary: 'Join by link',
      about: 'Join a group. If the result is `requested`, an admin must approve you first',
      audit: { action: 'group.join' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      body: Joi.object<{ code: string }>({
        code: Line.min(4).max(200).required().description('The code, or the whole link').example('AbCdEfGhIjKlMnOpQrStUv'),
      }),
      status: 200,
      returns: Joined,
      refuses: NETWORK_REFUSALS,
      async run(services, { device, body }) {
        const code = body.code.replace(/^https?:\/\/chat\.whatsapp\.com\/(?:invite\/)?/, '').replace(/[/?#].*$/, '');
        const { id, isMember } = await askNetwork(services, device, 'groups.join', { code });
        return isMember ? { joined: true as const, id } : { requested: true as const };
      },
    }),
    row({
      id: 'setGroupPicture',
      method: 'PUT',
      path: '/v1/sessions/{sessionId}/groups/{groupId}/picture',
      summary: 'Set the picture',
      about:
        'Send the picture as the part `file` of a form, as the body, or as `{media_r2_key}`. The picture can be at most 10 MB and is scaled to 640 × 640',
      audit: { action: 'group.picture' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inGroup,
      bytes: pictureBytes,
      status: 200,
      returns: GroupSchema,
      refuses: [...NETWORK_REFUSALS, 'INVALID_JSON', 'LIMIT_REACHED'],
      async run(services, call: DeviceCall<{ groupId: string }, unknown, Upload>) {
        const { device, params } = call;
        const id = params.groupId;
        const { key, shown } = await withPicture(services, call, async ({ key, base64: jpeg }) => {
          return { key, shown: await askNetwork(services, device, 'groups.setPicture', { id, jpeg }) };
        });
        await services.groups.setPicture(device, id, { id: shown.picture ?? '', key });
        return { ...(await groupAfter(services, call, id)), picture: key };
      },
    }),
    row({
      id: 'removeGroupPicture',
      method: 'DELETE',
      path: '/v1/sessions/{sessionId}/groups/{groupId}/picture',
      summary: 'Remove the picture',
      audit: { action: 'group.picture' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inGroup,
      status: 200,
      returns: GroupSchema,
      refuses: NETWORK_REFUSALS,
      async run(services, call) {
        const id = call.params.groupId;
        await askNetwork(services, call.device, 'groups.setPicture', { id, jpeg: null });
        await services.groups.setPicture(call.device, id, null);
        return groupAfter(services, call, id);
      },
    }),
  ],
};
