import Joi from 'joi';
import { ABILITIES, type Capabilities } from '../../../actors/network/questions.ts';
import { type Area, type Lang, rowsFor } from '../../core/row.ts';
import { inSession } from '../params.ts';
import { type AskingServices, askNetwork, NETWORK_REFUSALS } from './ask.ts';

const row = rowsFor<AskingServices>();

const Capability = Joi.alternatives(
  Joi.valid(true),
  Joi.object({ available: Joi.valid(false).required(), reason: Joi.string().required() }).meta({ title: 'Unavailable' }),
).required();

const NONE = { en: 'this network does not support this', id: 'jaringan ini tidak mendukung hal ini' };

export const networkFeatures: Area<AskingServices> = {
  name: 'network features',
  about: 'Network features that a device can use, other than messages',
  rows: [
    row({
      id: 'getCapabilities',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/capabilities',
      summary: 'Get capabilities',
      about: 'Get the features that this account can use on the network, and the reason for each that it cannot use',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inSession,
      status: 200,
      returns: Joi.object(Object.fromEntries(ABILITIES.map((name) => [name, Capability]))).meta({ title: 'Capabilities' }),
      refuses: NETWORK_REFUSALS,
      run: async (services, { device, lang }) => shown(await askNetwork(services, device, 'capabilities', {}), lang),
    }),
  ],
};

const shown = (can: Capabilities, lang: Lang) =>
  Object.fromEntries(
    ABILITIES.map((name) => {
      const what = can[name] ?? { reason: NONE };
      return [name, what === true ? true : { available: false, reason: what.reason[lang] }];
    }),
  );
