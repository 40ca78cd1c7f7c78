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
    .description('`watched`: a child that has more than its share of memory is ended; `heap`: only its JavaScript heap is limited'),
  cpu: Joi.string()
    .valid('prlimit', 'watched', 'none')
    .required()
    .description('Who ends a child that has used its processor time: the kernel, the node, or (`none`) only its time in all is limited'),
  network: Joi.string().valid('none', 'open').required().description('`none`: a child has no network; `open`: nothing keeps it from it'),
  files: Joi.string()
    .valid('hidden', 'permissions')
    .required()
    .description(
      "`hidden`: no child can read the node's environment and data; `permissions`: only Node's permission model keeps one from them",
    ),
}).meta({ title: 'Isolation' });

const FfmpegSchema = Joi.object<FfmpegState>({
  found: Joi.boolean().required(),
  version: Joi.string().allow(null).required().example('7.1'),
  usable: Joi.boolean().required().description('True if it has the encoders libx264 and aac'),
}).meta({ title: 'Ffmpeg' });

const count = Joi.number().integer().min(0).required();

const MediaWorkerSchema = Joi.object<ConverterCounts>({
  running: count.description('Conversions under way'),
  jobs: count.description('Since the node started, as the two below'),
  killed: count.description('Ended for using more than they may'),
  refused: count.description('Not tried, because their file had ended three'),
}).meta({ title: 'MediaWorker' });

const row = rowsFor<NodeHealthServices>();

/** The resources that the answering node gets from its host. */
export const nodeHealth: Area<NodeHealthServices> = {
  name: 'node health',
  about: 'What a node has of its host, for operators',
  rows: [
    row({
      id: 'getNodeHealth',
      method: 'GET',
      path: '/v1/admin/health',
      summary: "Get the node's health",
      about: 'What converts media on the node that answers, and how it confines the child processes in which it reads files from outside',
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
