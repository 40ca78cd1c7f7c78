import Joi from 'joi';
import type { SandboxVerbs } from '../../../actors/network/sandbox/api.ts';
import { Raw, rowsFor } from '../../core/row.ts';
import { Phone } from './phone-settings.ts';

/**
 * Simulates another program that is linked to a phone. A device can take over the program's login,
 * and the program may keep running.
 */

const row = rowsFor<SandboxVerbs>();
const NDJSON = 'application/x-ndjson';
const atPhone = Joi.object<{ phone: string }, true>({ phone: Phone });

export const oldClientRows = [
  row({
    id: 'getSandboxLogin',
    method: 'GET',
    path: '/sandbox/devices/{phone}/login',
    summary: 'Get a login to move',
    about:
      'Get the login of another program that is linked to this phone, as the body of `POST /v1/sessions/{sessionId}/move-in`. The first call links such a program. 409 if the phone already has four devices',
    access: 'none',
    loopback: true,
    params: atPhone,
    status: 200,
    produces: [NDJSON],
    samples: { [NDJSON]: '{"format":"sandbox"}\n{"kind":"creds","id":"creds","value":{"me":{"id":"6281234567890:1@s.whatsapp.net"}}}\n' },
    returns: Joi.any(),
    refuses: ['CONFLICT'],
    run: (verbs, { params }) => new Raw(verbs.login(params.phone), NDJSON),
  }),
  row({
    id: 'runSandboxOldClient',
    method: 'POST',
    path: '/sandbox/devices/{phone}/old-client',
    summary: 'Control the old program',
    about:
      'Start or stop the other program that is linked to this phone. While it runs, it takes its login back from any other client that uses it (440)',
    example: { online: true },
    access: 'none',
    loopback: true,
    audit: { none: 'the simulated phone network is not part of the gateway' },
    params: atPhone,
    body: Joi.object<{ online: boolean }>({ online: Joi.boolean().required() }),
    status: 200,
    returns: Joi.object({ phone: Joi.string().required(), online: Joi.boolean().required() }),
    refuses: ['CONFLICT'],
    run: (verbs, { params, body }) => verbs.oldClient(params.phone, body),
  }),
];
