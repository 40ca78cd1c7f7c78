import Joi from 'joi';
import type { ChildProcesses } from '../../../runtime/child-processes/child-processes.ts';
import type { Isolation } from '../../../runtime/child-processes/host.ts';
import { type Area, rowsFor } from '../../core/row.ts';

export interface NodeHealthServices {
  readonly children: Pick<ChildProcesses, 'isolation'>;
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

const row = rowsFor<NodeHealthServices>();

/** The node that answers: what its host gives it. */
export const nodeHealth: Area<NodeHealthServices> = {
  name: 'node health',
  about: 'What a node has of its host, for operators',
  rows: [
    row({
      id: 'getNodeHealth',
      method: 'GET',
      path: '/v1/admin/health',
      summary: "Get the node's health",
      about: 'How the node that answers confines the child processes in which it reads files from outside',
      access: 'operator',
      status: 200,
      returns: Joi.object({ isolation: IsolationSchema.required() }).meta({ title: 'AdminHealth' }),
      refuses: ['OVERLOADED'],
      run: async ({ children }) => ({ isolation: await children.isolation() }),
    }),
  ],
};
