import Joi from 'joi';
import { numberCell } from '../../../actors/domain/csv.ts';
import type { MemberAction } from '../../../actors/network/groups.ts';
import { isLid } from '../../../actors/network/jid.ts';
import { actOnce, keyFrom, NETWORK_CALL_MS } from '../../../actors/services/messaging/idempotency.ts';
import type { IdempotencyKeys } from '../../../store/messaging/idempotency.ts';
import { csv } from '../../core/csv.ts';
import { type Area, type DeviceCall, rowsFor } from '../../core/row.ts';
import { nextInList } from '../../core/whole-lists.ts';
import { askNetwork, NETWORK_REFUSALS } from '../network-features/ask.ts';
import { PersonSchema } from '../network-features/schemas.ts';
import { expectMayInvite, type InvitationServices, invited } from './invitations.ts';
import { inGroup } from './params.ts';
import { shownResults } from './results.ts';
import { Named, ResultsSchema } from './schemas.ts';
import { groupOf, knownGroup, membersNamed, peopleNamed } from './services.ts';

interface MemberServices extends InvitationServices {
  readonly idempotency: IdempotencyKeys;
}

interface MemberBody {
  action: MemberAction;
  participants: string[];
  invite_refused?: boolean;
}

interface RequestBody {
  action: 'approve' | 'reject';
  phones: string[];
}

const row = rowsFor<MemberServices>();
const REFUSALS = [...NETWORK_REFUSALS, 'INVALID_NUMBER', 'INVALID_JID'] as const;

export const groupMembers: Area<MemberServices> = {
  name: 'group members',
  about: 'Members of a group, and requests to join it',
  rows: [
    row({
      id: 'changeGroupMembers',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/groups/{groupId}/participants',
      summary: 'Change members',
      about:
        'Add, remove, promote or demote up to 1,023 people in one call. Each person gets a separate result. With `invite_refused`, people who ' +
        'can only be invited get an invitation message, which is sent, counted and cancelled like any other message (`message_id`): the first 20 of ' +
        'them, except people who opted out. A key also needs the scope `send` for that. With an `Idempotency-Key`, no one is invited twice. Members ' +
        'whose number is not known are identified by their `lid`. Removing someone from a community also removes them from its groups',
      audit: { action: 'group.participants' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inGroup,
      headers: ['idempotency-key'],
      body: Joi.object<MemberBody>({
        action: Joi.string().valid('add', 'remove', 'promote', 'demote').required(),
        participants: Named.min(1).required(),
        invite_refused: Joi.boolean(),
      }),
      status: 200,
      returns: Joi.object({ results: ResultsSchema }),
      refuses: REFUSALS,
      async run(services, call) {
        const { caller, body, sent, header, now } = call;
        if (body.invite_refused) expectMayInvite(caller);
        const request = ['members', call.device._id, call.params.groupId, sent];
        const key = keyFrom(header('idempotency-key'));
        const asked = { key, tenantId: caller.tenantId, request, takesMs: NETWORK_CALL_MS };
        return (await actOnce(services, asked, now, (cause, _isAgain, acted) => changeMembers(services, call, cause, acted))).answer;
      },
    }),
    row({
      id: 'exportGroupMembers',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/groups/{groupId}/participants.csv',
      summary: 'Export members',
      audit: { action: 'group.export' },
      stepUp: true,
      access: 'bearer',
      deviceKeys: true,
      heavy: true,
      params: inGroup,
      status: 200,
      produces: ['text/csv'],
      samples: { 'text/csv': 'phone,lid,name,admin\r\n+6281234567890,,Anna Widodo,\r\n' },
      returns: Joi.string(),
      refuses: NETWORK_REFUSALS,
      async run(services, call) {
        const { participants } = await groupOf(services, call, call.params.groupId);
        const lines = participants.map(({ phone, lid, name, admin }) => [numberCell(phone), lid, name, admin]);
        return csv('participants.csv', ['phone', 'lid', 'name', 'admin'], lines);
      },
    }),
    row({
      id: 'listGroupRequests',
      list: { of: 'requests', by: ['phone', 'lid'] },
      method: 'GET',
      path: '/v1/sessions/{sessionId}/groups/{groupId}/requests',
      summary: 'List requests to join',
      about: 'List the requests to join a group. The device must be an admin',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inGroup,
      status: 200,
      returns: Joi.object({ ...nextInList, requests: Joi.array().items(PersonSchema).required() }),
      refuses: NETWORK_REFUSALS,
      async run(services, { caller, device, params }) {
        const people = await askNetwork(services, device, 'groups.requests', { id: params.groupId });
        return { requests: await services.persons.describe(caller.tenantId, people) };
      },
    }),
    row({
      id: 'answerGroupRequests',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/groups/{groupId}/requests',
      summary: 'Answer requests to join',
      about:
        'Approve or reject requests. In `phones`, list people whose number is unknown by their `lid`, as shown in the list of requests',
      audit: { action: 'group.requests' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inGroup,
      body: Joi.object<RequestBody>({ action: Joi.string().valid('approve', 'reject').required(), phones: Named.min(1).required() }),
      status: 200,
      returns: Joi.object({ results: ResultsSchema }),
      refuses: REFUSALS,
      async run(services, { caller, device, params: { groupId: id }, body }) {
        const phones = await peopleNamed(services, caller, body.phones);
        return { results: shownResults(await askNetwork(services, device, 'groups.answerRequests', { id, action: body.action, phones })) };
      },
    }),
  ],
};

type Changing = DeviceCall<{ groupId: string }, unknown, MemberBody>;

async function changeMembers(services: MemberServices, call: Changing, cause: string, acted: () => void) {
  const { device, body } = call;
  const { action } = body;
  const id = call.params.groupId;
  const isNamed = action === 'remove' || body.invite_refused === true || body.participants.some(isLid);
  const group = isNamed ? await knownGroup(services, call, id) : null;
  const participants = await membersNamed(services, call, body.participants, group);
  const isCommunity = group?.isCommunity ?? false;
  const results = await askNetwork(services, device, 'groups.participants', { id, action, participants, isCommunity });
  acted();
  return { results: shownResults(results, body.invite_refused && group ? await invited(services, call, { group, cause }, results) : []) };
}
