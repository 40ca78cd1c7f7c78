import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { GroupSettings } from '../../../actors/network/groups.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Done } from '../../core/schemas.ts';
import { nextInList } from '../../core/whole-lists.ts';
import { askNetwork, NETWORK_REFUSALS } from '../network-features/ask.ts';
import { inSession } from '../params.ts';
import { GroupAddress, inCommunity } from './params.ts';
import { changeSettings, SettingsSchema } from './rows.ts';
import { Description, GroupId, GroupSchema, MemberSchema, Subject } from './schemas.ts';
import { type GroupServices, groupAfter, groupOf, groupPage, groupQuery, shownNew } from './services.ts';

interface GroupBody {
  group_id?: string;
  subject?: string;
}

const row = rowsFor<GroupServices>();

const SubGroupSchema = Joi.object({
  id: GroupId.required(),
  subject: Joi.string().allow('').required(),
  size: Joi.number().integer().allow(null).required(),
  announcement: Joi.boolean()
    .required()
    .description('True for the announcement group: all members of the community are in it, and only admins can write'),
}).meta({ title: 'CommunityGroup' });

export const communities: Area<GroupServices> = {
  name: 'communities',
  about: 'Communities: groups of groups',
  rows: [
    row({
      id: 'listCommunities',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/communities',
      summary: 'List communities',
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
      agents: true,
      params: inSession,
      query: groupQuery,
      status: 200,
      returns: Joi.object({ ...nextInList, communities: Joi.array().items(GroupSchema).required() }),
      refuses: NETWORK_REFUSALS,
      async run(services, call) {
        const { groups: communities, next_before } = await groupPage(services, call, true);
        return { communities, next_before };
      },
    }),
    row({
      id: 'createCommunity',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/communities',
      summary: 'Create a community',
      about: 'Create a community. The network creates its announcement group',
      audit: { action: 'community.create' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      body: Joi.object<{ subject: string; description?: string | null }>({ subject: Subject.required(), description: Description }),
      status: 201,
      returns: GroupSchema,
      refuses: NETWORK_REFUSALS,
      async run(services, call) {
        const { subject, description } = call.body;
        const made = await askNetwork(services, call.device, 'communities.create', { subject, description: description || null });
        return shownNew(services, call, made);
      },
    }),
    row({
      id: 'getCommunity',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/communities/{communityId}',
      summary: 'Get a community',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inCommunity,
      status: 200,
      returns: GroupSchema,
      refuses: NETWORK_REFUSALS,
      run: (services, call) => groupOf(services, call, call.params.communityId),
    }),
    row({
      id: 'updateCommunity',
      method: 'PATCH',
      path: '/v1/sessions/{sessionId}/communities/{communityId}',
      summary: 'Update a community',
      audit: { action: 'community.update' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inCommunity,
      body: Joi.object<GroupSettings>(SettingsSchema),
      status: 200,
      returns: GroupSchema,
      refuses: NETWORK_REFUSALS,
      async run(services, call) {
        await changeSettings(services, call, call.params.communityId, call.body);
        return groupAfter(services, call, call.params.communityId, call.body);
      },
    }),
    row({
      id: 'endCommunity',
      method: 'DELETE',
      path: '/v1/sessions/{sessionId}/communities/{communityId}',
      summary: 'End a community',
      about: 'Delete the community. Its groups are kept',
      audit: { action: 'community.end' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inCommunity,
      status: 200,
      returns: Done,
      refuses: NETWORK_REFUSALS,
      async run(services, { device, params }) {
        await askNetwork(services, device, 'communities.end', { id: params.communityId });
        return { ok: true };
      },
    }),
    row({
      id: 'listCommunityGroups',
      list: { of: 'groups', by: ['id'] },
      method: 'GET',
      path: '/v1/sessions/{sessionId}/communities/{communityId}/groups',
      summary: "List a community's groups",
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inCommunity,
      status: 200,
      returns: Joi.object({ ...nextInList, groups: Joi.array().items(SubGroupSchema).required() }),
      refuses: NETWORK_REFUSALS,
      async run(services, { device, params }) {
        const found = await askNetwork(services, device, 'communities.groups', { id: params.communityId });
        return { groups: found.map(({ id, subject, size, isAnnouncement: announcement }) => ({ id, subject, size, announcement })) };
      },
    }),
    row({
      id: 'addCommunityGroup',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/communities/{communityId}/groups',
      summary: 'Add a group',
      about: 'Link the group `group_id`, or create a new group with this `subject` in the community',
      example: { subject: 'Deliveries' },
      audit: { action: 'community.add_group' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inCommunity,
      body: Joi.object<GroupBody>({ group_id: GroupId.max(64), subject: Subject }).xor('group_id', 'subject'),
      status: 201,
      returns: GroupSchema,
      refuses: NETWORK_REFUSALS,
      async run(services, call) {
        const { device, params, body } = call;
        const { communityId: id } = params;
        if (body.group_id === undefined) {
          const order = { subject: body.subject ?? '', participants: [], community: id };
          return shownNew(services, call, (await askNetwork(services, device, 'groups.create', order)).group);
        }
        if (GroupAddress.validate(body.group_id).error) throw refusal('NOT_FOUND');
        await askNetwork(services, device, 'communities.link', { id, group: body.group_id });
        return groupAfter(services, call, body.group_id, { community: id });
      },
    }),
    row({
      id: 'removeCommunityGroup',
      method: 'DELETE',
      path: '/v1/sessions/{sessionId}/communities/{communityId}/groups/{groupId}',
      summary: 'Remove a group',
      about: 'Unlink a group from the community. The group itself is kept',
      audit: { action: 'community.remove_group' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inCommunity.keys({ groupId: GroupAddress.required() }),
      status: 200,
      returns: Done,
      refuses: NETWORK_REFUSALS,
      async run(services, { device, params }) {
        await askNetwork(services, device, 'communities.unlink', { id: params.communityId, group: params.groupId });
        return { ok: true };
      },
    }),
    row({
      id: 'listCommunityParticipants',
      list: { of: 'participants', by: ['id'] },
      method: 'GET',
      path: '/v1/sessions/{sessionId}/communities/{communityId}/participants',
      summary: 'List members of a community',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inCommunity,
      status: 200,
      returns: Joi.object({ ...nextInList, participants: Joi.array().items(MemberSchema).required() }),
      refuses: NETWORK_REFUSALS,
      async run(services, { caller, device, params }) {
        const members = await askNetwork(services, device, 'communities.participants', { id: params.communityId });
        const participants = await services.persons.describe(caller.tenantId, members);
        return {
          participants: participants.map(({ id, phone, lid, username, name, admin }) => ({ id, phone, lid, username, name, admin })),
        };
      },
    }),
  ],
};
