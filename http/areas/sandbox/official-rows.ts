import Joi from 'joi';
import type { SandboxVerbs } from '../../../actors/network/sandbox/api.ts';
import type { OfficialChanges } from '../../../actors/network/sandbox/official/graph-double.ts';
import { TEMPLATE_STATES } from '../../../actors/network/sandbox/protocol.ts';
import { rowsFor } from '../../core/row.ts';

/**
 * Official numbers in the sandbox. They simulate the vendor's platform, so that all features can be
 * tried without an account.
 */

const row = rowsFor<SandboxVerbs>();
const CHANGES_NETWORK = { loopback: true, audit: { none: 'the simulated phone network is not part of the gateway' } } as const;
const Id = Joi.string()
  .pattern(/^\d{1,40}$/)
  .example('106540352242922');
const Tier = Joi.number().integer().min(0).allow(null);

const changes = {
  templates: Joi.object()
    .pattern(Joi.string().max(600), Joi.string().valid(...TEMPLATE_STATES))
    .description('New states of templates by `<name>:<language>`'),
  quality: Joi.string().valid('green', 'yellow', 'red', 'unknown'),
  tier: Tier.description('Maximum number of new people to contact within 24 hours; null if there is no limit'),
  fault: Joi.object({
    code: Joi.number().integer().min(0).max(9_999_999).description('The error code of the platform'),
    http: Joi.number().integer().min(400).max(599).description('An HTTP status without an error of the platform'),
    drop: Joi.string().valid('after_body', 'before_body').description('The connection ends without a response'),
    late: Joi.boolean().description('The send is accepted, and the error follows in a status'),
    held: Joi.string().valid('released', 'dropped').description('The platform holds the message for a minute, then delivers or drops it'),
    times: Joi.number().integer().min(1).max(100_000),
  }).description('What happens to the next sends'),
  token: Joi.boolean().description('False: the access token of the number is no longer valid'),
  subscription: Joi.boolean().description('False: the account sends webhooks to no app'),
  status: Joi.string().max(40).example('CONNECTED'),
};

export const officialRows = [
  row({
    id: 'getSandboxGraph',
    method: 'GET',
    path: '/sandbox/official',
    summary: 'Get the official platform',
    about: 'Get the address of the simulated official platform',
    access: 'none',
    loopback: true,
    status: 200,
    returns: Joi.object({ graph_url: Joi.string().required() }),
    run: async (verbs) => ({ graph_url: await verbs.officialUrl() }),
  }),
  row({
    id: 'createSandboxOfficial',
    method: 'POST',
    path: '/sandbox/official',
    summary: 'Create an official number',
    about: 'Create a number on the simulated official platform. Use the response as `official` of a new device',
    access: 'none',
    ...CHANGES_NETWORK,
    body: Joi.object<{ waba_id?: string; phone_number?: string }>({ waba_id: Id, phone_number: Joi.string().pattern(/^\+?\d{5,15}$/) }),
    status: 201,
    returns: Joi.object({
      phone_number_id: Id.required(),
      waba_id: Id.required(),
      app_id: Id.required(),
      app_secret: Joi.string().required(),
      access_token: Joi.string().required(),
    }),
    refuses: ['CONFLICT'],
    run: (verbs, { body }) => verbs.createOfficial(body),
  }),
  row({
    id: 'changeSandboxOfficial',
    method: 'PATCH',
    path: '/sandbox/official/{phone_number_id}',
    summary: 'Update an official number',
    about: 'Approve or reject templates, change the quality or the limit of the number, or make its next sends fail',
    example: { quality: 'yellow' },
    access: 'none',
    ...CHANGES_NETWORK,
    params: Joi.object<{ phone_number_id: string }>({ phone_number_id: Joi.string().max(40).required() }),
    body: Joi.object<OfficialChanges>(changes),
    status: 200,
    returns: Joi.object({
      phone_number_id: Joi.string().required(),
      waba_id: Joi.string().required(),
      phone_number: Joi.string().required(),
      quality: Joi.string().required(),
      tier: Tier.required(),
      status: Joi.string().required(),
      templates: Joi.object().pattern(Joi.string(), Joi.string()).required(),
    }),
    refuses: ['NOT_FOUND'],
    run: (verbs, { params, body }) => verbs.changeOfficial(params.phone_number_id, body),
  }),
];
