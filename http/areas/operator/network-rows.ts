import { Readable } from 'node:stream';
import Joi from 'joi';
import { buildIn } from '../../../actors/domain/client-build.ts';
import type { AuditTrail } from '../../../actors/services/audit/audit-trail.ts';
import type { BuildView, ClientBuildService } from '../../../actors/services/client-build/client-build.ts';
import type { UnknownCounts } from '../../../actors/services/network-unknown/network-unknown.ts';
import type { DeviceDirectory } from '../../../store/devices/device-directory.ts';
import { operatorDraft } from '../../core/audited.ts';
import { type Area, type OperatorCall, Raw, rowsFor } from '../../core/row.ts';
import { Timestamp, Ulid } from '../../core/schemas.ts';

export interface NetworkServices {
  readonly audit: Pick<AuditTrail, 'command'>;
  readonly builds: Pick<ClientBuildService, 'view' | 'pin'>;
  readonly unknown: Pick<UnknownCounts, 'view' | 'samples'>;
  readonly deviceDirectory: Pick<DeviceDirectory, 'versions'>;
}

interface Pin {
  readonly version: string | null;
  readonly force?: boolean;
}

const row = rowsFor<NetworkServices>();

const Version = Joi.string()
  .pattern(/^2\.3000\.\d{1,10}$/, 'version such as 2.3000.1043857760')
  .custom((text: string, { error }) => (buildIn(text) === null ? error('string.pattern.name', { name: 'version' }) : text))
  .example('2.3000.1043857760');

const Names = Joi.object().pattern(Joi.string().max(48), Joi.number().integer());

const NetworkSchema = Joi.object({
  build: Joi.object({
    version: Version.required().description('The version that logins announce'),
    running: Joi.array()
      .items(Joi.object({ version: Version.required(), devices: Joi.number().integer().required() }))
      .required()
      .description('Connected devices by the version that their login announced, newest first'),
    source: Joi.string().valid('pinned', 'built_in', 'looked_up').required(),
    age_days: Joi.number()
      .integer()
      .required()
      .description('Age of the build in days, estimated from the pace at which the network releases builds'),
    expires_at: Timestamp.allow(null).required().description('When the network will refuse the build, if it announced this'),
    refused: Joi.array()
      .items(Joi.object({ version: Version.required(), code: Joi.number().integer().required(), at: Timestamp.required() }))
      .required()
      .description('Builds that the network refused in the last 30 days, newest first, at most 20'),
    canary: Joi.object({ session_id: Ulid.required(), version: Version.required(), since: Timestamp.required() })
      .allow(null)
      .required()
      .description('The device that tries a new version'),
  })
    .required()
    .meta({ title: 'ClientBuild' }),
  unknown: Joi.object({
    contents: Names.required().description('Messages that could not be read, by the field with their content'),
    stanzas: Names.required().description('Unknown stanzas by tag, including `notification_<type>` and `ib_<child>`'),
  })
    .required()
    .meta({ title: 'UnknownNames' })
    .description(
      'Network content that the gateway does not understand, for the whole cluster within seven days. At most 64 names each; the rest is `other`',
    ),
}).meta({ title: 'NetworkState' });

export const networkArea: Area<NetworkServices> = {
  name: 'network',
  about: 'How the gateway identifies itself to the network, for operators',
  rows: [
    row({
      id: 'getNetwork',
      method: 'GET',
      path: '/v1/admin/network',
      summary: 'Get the network state',
      about:
        'Get the client build that devices announce, its age and expiry, the refused builds, and content that the gateway does not understand',
      access: 'operator',
      status: 200,
      returns: NetworkSchema,
      run: async (services, { now }) => shown(services, await services.builds.view(), now),
    }),
    row({
      id: 'getUnknownSamples',
      method: 'GET',
      path: '/v1/admin/network/samples',
      summary: 'Export samples of unknown content',
      about:
        'Export the structure of messages that could not be read, as NDJSON, newest first: at most 100 of the last seven days. A line is ' +
        '`{at, name, fields: [{field, wire, length, within?}]}`: field numbers, protobuf wire types and lengths in bytes, without ' +
        'the content. Attach this file when you report messages that are not supported',
      access: 'operator',
      status: 200,
      produces: ['application/x-ndjson'],
      samples: { 'application/x-ndjson': '{"at":1767225600000,"name":"message","fields":[{"field":104,"wire":2,"length":12}]}\n' },
      returns: Joi.string(),
      async run({ unknown }, { now }) {
        const lines = (await unknown.samples(now)).map((sample) => `${JSON.stringify(sample)}\n`);
        return new Raw(Readable.from(lines, { objectMode: false }), 'application/x-ndjson', 200, {
          'content-disposition': 'attachment; filename="unknown-content.ndjson"',
        });
      },
    }),
    row({
      id: 'pinBuild',
      method: 'POST',
      path: '/v1/admin/network/build',
      summary: 'Pin the client version',
      example: { version: null },
      about:
        'Pin the version that devices announce from their next login, or let the gateway choose it (null). Devices that were refused as outdated try again at once. 400 if it is older than the built-in version and `force` is not set. 409 if the network has refused it',
      audit: { action: 'network.pin_build', own: true },
      access: 'operator',
      body: Joi.object<Pin>({ version: Version.allow(null).required(), force: Joi.boolean() }),
      status: 200,
      returns: NetworkSchema,
      refuses: ['CONFLICT', 'UNAVAILABLE'],
      run: pin,
    }),
  ],
};

async function pin(services: NetworkServices, call: OperatorCall<unknown, unknown, Pin>) {
  const { version, force = false } = call.body;
  const { version: used, source } = await services.builds.view();
  const from = source === 'pinned' ? used : null;
  const changes = from === version ? [] : [{ field: 'version', from, to: version }];
  const draft = operatorDraft(call, 'network.pin_build', { kind: 'network', id: 'build' }, changes);
  return shown(services, await services.audit.command(draft, () => services.builds.pin(version, force)), call.now);
}

async function shown({ deviceDirectory, unknown }: NetworkServices, view: BuildView, now: number) {
  const versions = [...(await deviceDirectory.versions())].map(([version, devices]) => ({ version, devices }));
  return {
    build: { ...view, running: versions.toSorted((one, other) => (buildIn(other.version) ?? 0) - (buildIn(one.version) ?? 0)) },
    unknown: await unknown.view(now),
  };
}
