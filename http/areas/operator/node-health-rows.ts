import Joi from 'joi';
import type { Converter, ConverterCounts } from '../../../actors/services/media/convert/converter.ts';
import type { FfmpegState } from '../../../actors/services/media/convert/ffmpeg.ts';
import type { ChildProcesses } from '../../../runtime/child-processes/child-processes.ts';
import type { Isolation } from '../../../runtime/child-processes/host.ts';
import { type Area, rowsFor } from '../../core/row.ts';

export interface NodeHealthServices {
  readonly children: Pick<ChildProcesses, 'isolation'>;
  readonly converter: Pick<Converter, 'ffmpeg' | 'counts'>;
}

const IsolationSchema = Joi.object<Isolation>({
  memory: Joi.string()
    .valid('watched', 'heap')
    .required()
    .description('`watched`: a child process above its memory limit is stopped; `heap`: only its JavaScript heap is limited'),
  cpu: Joi.string()
    .valid('prlimit', 'watched', 'none')
    .required()
    .description(
      'What stops a child process that has used up its CPU time: the kernel or the node. `none`: only its total run time is limited',
    ),
  network: Joi.string()
    .valid('none', 'open')
    .required()
    .description('`none`: child processes have no network access; `open`: network access is not blocked'),
  files: Joi.string()
    .valid('hidden', 'permissions')
    .required()
    .description(
      '`hidden`: child processes cannot read the environment and data of the node; `permissions`: only the permission model of Node.js prevents it',
    ),
}).meta({ title: 'Isolation' });

const FfmpegSchema = Joi.object<FfmpegState>({
  found: Joi.boolean().required(),
  version: Joi.string().allow(null).required().example('7.1'),
  usable: Joi.boolean().required().description('True if it has the encoders libx264 and aac'),
}).meta({ title: 'Ffmpeg' });

const count = Joi.number().integer().min(0).required();

const MediaWorkerSchema = Joi.object<ConverterCounts>({
  running: count.description('Conversions in progress'),
  jobs: count.description('Since the node started, like the next two counts'),
  killed: count.description('Conversions that were stopped because they exceeded a limit'),
  refused: count.description('Conversions that were refused because three attempts with the same file had been stopped'),
}).meta({ title: 'MediaWorker' });

const row = rowsFor<NodeHealthServices>();

export const nodeHealth: Area<NodeHealthServices> = {
  name: 'node health',
  about: 'Resources of a node on its host, for operators',
  rows: [
    row({
      id: 'getNodeHealth',
      method: 'GET',
      path: '/v1/admin/health',
      summary: "Get the node's health",
      about: 'Get the state of the media converter of this node, and how the child processes that read untrusted files are isolated',
      access: 'operator',
      status: 200,
      returns: Joi.object({
        ffmpeg: FfmpegSchema.required(),
        media_worker: MediaWorkerSchema.required(),
        isolation: IsolationSchema.required(),
      }).meta({ title: 'AdminHealth' }),
      refuses: ['OVERLOADED'],
      run: async ({ children, converter }) => ({
        ffmpeg: await converter.ffmpeg.state(),
        media_worker: converter.counts(),
        isolation: await children.isolation(),
      }),
    }),
  ],
};
