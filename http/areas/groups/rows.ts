import Joi from 'joi';
import type { GroupSettings } from '../../../actors/network/groups.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { entriesOf } from '../../../runtime/keys-of.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Done } from '../../core/schemas.ts';
import { nextInList } from '../../core/whole-lists.ts';
import { askNetwork, NETWORK_REFUSALS } from '../network-features/ask.ts';
import { inSession } from '../params.ts';
import { makeGroup, type NewGroupBody, type NewGroupServices } from './new-group.ts';
import { inGroup } from './params.ts';
import { Description, EPHEMERAL, GroupSchema, Named, ResultsSchema, Subject } from './schemas.ts';
import { type GroupServices, groupAfter, groupOf, groupPage, groupQuery } from './services.ts';

const row = rowsFor<NewGroupServices>();

export const SettingsSchema = {
  subject: Subject,
  description: Description,
  announce: Joi.boolean().description('Only admins can write'),
  restrict: Joi.boolean().description('Only admins can change settings'),
  ephemeral: Joi.number()
    .valid(...EPHEMERAL)
    .description('Seconds after which messages disappear; 0: never')
    .example(604_800),
  join_approval: Joi.boolean().description('Admins must approve people who join by link'),
  member_add_mode: Joi.string().valid('admins', 'all').description('Who may add people'),
};

/**
 * Sends each setting in a separate request. An error names the rejected setting and the settings
 * already changed.
 */
export async function changeSettings(
  services: GroupServices,
  at: { device: Parameters<typeof askNetwork>[1] },
  id: string,
  body: GroupSettings,
) {
  const changed: string[] = [];
  for (const [name, value] of entriesOf(body)) {
    try {
      await askNetwork(services, at.device, 'groups.set', { id, change: { [name]: value === '' ? null : value } });
    } catch (cause) {
      throw changed.length > 0 && cause instanceof Refusal ? halfDone(cause, name, changed) : cause;
    }
    changed.push(name);
  }
}

function halfDone({ code, details }: Refusal, name: string, changed: readonly string[]): Refusal {
  const { reason } = details;
  const en = `the problem is ${name}; already changed: ${changed.join(', ')}`;
  const id = `masalahnya pada ${name}; yang sudah diubah: ${changed.join(', ')}`;
  return new Refusal(code, { ...details, reason: { en: `${why(reason, 'en')}(${en})`, id: `${why(reason, 'id')}(${id})` } });
}

function why(reason: unknown, language: 'en' | 'id'): string {
  if (typeof reason === 'string') return `${reason} `;
  const text: unknown = typeof reason === 'object' && reason !== null ? Reflect.get(reason, language) : null;
  return typeof text === 'string' ? `${text} ` : '';
}

export const groups: Area<NewGroupServices> = {
  name: 'groups',
  about: 'Groups of a device on the network',
  rows: [
    row({
      id: 'listGroups',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/groups',
      summary: 'List groups',
      about:
        'List the groups of this device. The list is fetched from the network once a minute; between fetches, events from the network keep it up to date',
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
      agents: true,
      params: inSession,
      query: groupQuery,
      status: 200,
      returns: Joi.object({ ...nextInList, groups: Joi.array().items(GroupSchema).required() }),
      refuses: NETWORK_REFUSALS,
      run: (services, call) => groupPage(services, call, false),
    }),
    row({
      id: 'createGroup',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/groups',
      summary: 'Create a group',
      about:
        '`results` has the outcome for each person. After `DEVICE_TIMEOUT`, check the list before you create the group again, or repeat the call with the same ' +
        '`Idempotency-Key`, which looks for the group before it creates another one',
      audit: { action: 'group.create' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      headers: ['idempotency-key'],
      body: Joi.object<NewGroupBody>({ subject: Subject.required(), participants: Named.required() }),
      status: 201,
      returns: GroupSchema.keys({ results: ResultsSchema }).meta({ title: 'NewGroup' }),
      refuses: [...NETWORK_REFUSALS, 'INVALID_NUMBER', 'INVALID_JID'],
      run: makeGroup,
    }),
    row({
      id: 'getGroup',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/groups/{groupId}',
      summary: 'Get a group',
      about: 'Get the current state of a group from the network. 403 or 404 if the device is not a member',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inGroup,
      status: 200,
      returns: GroupSchema,
      refuses: NETWORK_REFUSALS,
      run: (services, call) => groupOf(services, call, call.params.groupId),
    }),
    row({
      id: 'updateGroup',
      method: 'PATCH',
      path: '/v1/sessions/{sessionId}/groups/{groupId}',
      summary: 'Update a group',
      audit: { action: 'group.update' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inGroup,
      body: Joi.object<GroupSettings>(SettingsSchema),
      status: 200,
      returns: GroupSchema,
      refuses: NETWORK_REFUSALS,
      async run(services, call) {
        await changeSettings(services, call, call.params.groupId, call.body);
        return groupAfter(services, call, call.params.groupId, call.body);
      },
    }),
    row({
      id: 'leaveGroup',
      method: 'DELETE',
      path: '/v1/sessions/{sessionId}/groups/{groupId}',
      summary: 'Leave a group',
      about: 'Leave a group. If its last admin leaves, the group has no admin',
      audit: { action: 'group.leave' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inGroup,
      status: 200,
      returns: Done,
      refuses: NETWORK_REFUSALS,
      async run(services, { device, params }) {
        await askNetwork(services, device, 'groups.leave', { id: params.groupId });
        return { ok: true };
      },
    }),
  ],
};
