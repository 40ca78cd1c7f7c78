import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import { personIn } from '../../../actors/network/subject.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import { type Area, type DeviceCall, rowsFor, type Upload } from '../../core/row.ts';
import { Done, PhoneText } from '../../core/schemas.ts';
import { PERSON_REFUSALS, type PersonServices, personNamed } from '../look-ups.ts';
import { MediaKey } from '../media/schemas.ts';
import { type AskingServices, askNetwork, NETWORK_REFUSALS } from '../network-features/ask.ts';
import { type PictureUploadServices, pictureBytes, withPicture } from '../network-features/picture.ts';
import { PersonSchema } from '../network-features/schemas.ts';
import { inSession } from '../params.ts';
import { tokenWarnings } from '../token-warnings.ts';
import { type FoundPersonServices, shownPerson } from './found-person.ts';
import {
  About,
  AccountSchema,
  BlocklistSchema,
  CallRulesSchema,
  callRules,
  FoundPersonSchema,
  Name,
  PrivacySchema,
  privacyChanges,
} from './schemas.ts';

export interface AccountServices extends AskingServices, PictureUploadServices, FoundPersonServices, PersonServices {
  readonly media: PictureUploadServices['media'] & FoundPersonServices['media'];
  readonly devices: Pick<Devices, 'change'>;
}

const row = rowsFor<AccountServices>();

const atPhone = inSession.keys({
  phone: Joi.string().min(1).max(64).required().description('A phone number, `<digits>@lid` or `@username`').example('+6281234567890'),
});

const rulesOf = ({ calls }: Pick<DeviceRow, 'calls'>) => ({ reject: calls?.reject ?? false, reject_text: calls?.reject_text ?? null });

async function blocklistOf({ persons }: AccountServices, tenantId: string, people: Parameters<AccountServices['persons']['describe']>[1]) {
  return { blocklist: await persons.describe(tenantId, people) };
}

export const networkAccount: Area<AccountServices> = {
  name: 'network account',
  about: 'The account of a device on the network (name, picture, privacy, blocked numbers, calls), and the public profiles of other people',
  rows: [
    row({
      id: 'getNetworkAccount',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/account',
      summary: 'Get the account',
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      status: 200,
      returns: AccountSchema,
      refuses: NETWORK_REFUSALS,
      run: (services, { device }) => askNetwork(services, device, 'account.get', {}),
    }),
    row({
      id: 'updateNetworkAccount',
      method: 'PATCH',
      path: '/v1/sessions/{sessionId}/account',
      summary: 'Update the account',
      about: 'Update the name and the about text that others see',
      audit: { action: 'network_account.update' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      body: Joi.object<{ name?: string; about?: string }>({ name: Name, about: About }),
      status: 200,
      returns: AccountSchema,
      refuses: NETWORK_REFUSALS,
      run: (services, { device, body }) => askNetwork(services, device, Object.keys(body).length > 0 ? 'account.set' : 'account.get', body),
    }),
    row({
      id: 'setAccountPicture',
      method: 'PUT',
      path: '/v1/sessions/{sessionId}/account/picture',
      summary: 'Set the account picture',
      about:
        'Send the picture as the part `file` of a form, as the body, or as `{media_r2_key}`: a JPEG, PNG, WebP, GIF, AVIF or TIFF of at most 10 MB. It is cropped to a square and scaled to 640 × 640',
      audit: { action: 'network_account.set_picture' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      bytes: pictureBytes,
      status: 200,
      returns: Joi.object({ picture: MediaKey.required() }),
      refuses: [...NETWORK_REFUSALS, 'INVALID_JSON', 'LIMIT_REACHED'],
      run: (services, call: DeviceCall<unknown, unknown, Upload>) =>
        withPicture(services, call, async ({ key, base64: jpeg }) => {
          await askNetwork(services, call.device, 'account.setPicture', { jpeg });
          return { picture: key };
        }),
    }),
    row({
      id: 'removeAccountPicture',
      method: 'DELETE',
      path: '/v1/sessions/{sessionId}/account/picture',
      summary: 'Remove the account picture',
      audit: { action: 'network_account.remove_picture' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      status: 200,
      returns: Done,
      refuses: NETWORK_REFUSALS,
      async run(services, { device }) {
        await askNetwork(services, device, 'account.removePicture', {});
        return { ok: true };
      },
    }),
    row({
      id: 'getAccountPrivacy',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/account/privacy',
      summary: 'Get the privacy settings',
      about: 'Get the privacy settings. null means a rule that only the phone can show, such as a list of exceptions',
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      status: 200,
      returns: PrivacySchema,
      refuses: NETWORK_REFUSALS,
      run: (services, { device }) => askNetwork(services, device, 'account.privacy', {}),
    }),
    row({
      id: 'updateAccountPrivacy',
      method: 'PATCH',
      path: '/v1/sessions/{sessionId}/account/privacy',
      summary: 'Update the privacy settings',
      about:
        'Omitted settings are unchanged. The network changes settings one by one: after an error, read the settings to see which changed',
      audit: { action: 'network_account.update_privacy' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      body: privacyChanges,
      status: 200,
      returns: PrivacySchema,
      refuses: NETWORK_REFUSALS,
      run: (services, { device, body }) =>
        askNetwork(services, device, Object.keys(body).length > 0 ? 'account.setPrivacy' : 'account.privacy', body),
    }),
    row({
      id: 'getPerson',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/people/{phone}',
      summary: 'Get a person',
      about: 'Get the public profile of a person on the network. 404 if the number is not on the network',
      access: 'bearer',
      deviceKeys: true,
      params: atPhone,
      status: 200,
      returns: FoundPersonSchema,
      refuses: [...NETWORK_REFUSALS, ...PERSON_REFUSALS],
      async run(services, { device, caller, params, now }) {
        const phone = await personNamed(services, { caller, device, now }, params.phone);
        return shownPerson(services, device, await askNetwork(services, device, 'people.get', { phone }), now);
      },
    }),
    row({
      id: 'getCallRules',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/calls',
      summary: 'Get the call rules',
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      status: 200,
      returns: CallRulesSchema,
      run: (_services, { device }) => rulesOf(device),
    }),
    row({
      id: 'updateCallRules',
      method: 'PATCH',
      path: '/v1/sessions/{sessionId}/calls',
      summary: 'Update the call rules',
      about:
        'Reject calls, and answer each one with a text message. Omitted fields are unchanged. Calls cannot be answered here; without a rule they ring on the phone',
      audit: { action: 'call_rules.update', on: 'devices' },
      stepUp: { none: 'changes automatic answers; grants no access' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      body: callRules,
      status: 200,
      returns: CallRulesSchema,
      async run({ devices }, { device, body, lang }) {
        const updated = await devices.change(device.tenant_id, device._id, { calls: body });
        if (!updated) throw refusal('NOT_FOUND');
        return { ...rulesOf(updated), ...tokenWarnings(lang, body.reject_text) };
      },
    }),
    row({
      id: 'listBlockedPeople',
      list: { of: 'blocklist', by: ['phone', 'lid'] },
      method: 'GET',
      path: '/v1/sessions/{sessionId}/blocklist',
      summary: 'List blocked people',
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      status: 200,
      returns: BlocklistSchema,
      refuses: NETWORK_REFUSALS,
      run: async (services, { device, caller }) =>
        blocklistOf(services, caller.tenantId, await askNetwork(services, device, 'blocklist.list', {})),
    }),
    row({
      id: 'blockPerson',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/blocklist',
      summary: 'Block a person',
      audit: { action: 'blocklist.add' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      body: Joi.object<{ phone: string }>({ phone: PhoneText.required() }),
      status: 201,
      returns: PersonSchema,
      refuses: [...NETWORK_REFUSALS, ...PERSON_REFUSALS],
      async run(services, { device, caller, body, now }) {
        const phone = await personNamed(services, { caller, device, now }, body.phone);
        const people = await askNetwork(services, device, 'blocklist.set', { phone, blocked: true });
        const { blocklist } = await blocklistOf(services, caller.tenantId, people);
        return (
          blocklist.find((person) => person.phone === phone || person.lid === phone) ?? { ...personIn(phone), username: null, name: null }
        );
      },
    }),
    row({
      id: 'unblockPerson',
      method: 'DELETE',
      path: '/v1/sessions/{sessionId}/blocklist/{phone}',
      summary: 'Unblock a person',
      audit: { action: 'blocklist.remove' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: atPhone,
      status: 200,
      returns: Done,
      refuses: [...NETWORK_REFUSALS, ...PERSON_REFUSALS],
      async run(services, { device, caller, params, now }) {
        const phone = await personNamed(services, { caller, device, now }, params.phone);
        await askNetwork(services, device, 'blocklist.set', { phone, blocked: false });
        return { ok: true };
      },
    }),
  ],
};
