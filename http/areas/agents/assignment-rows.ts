import Joi from 'joi';
import { type AssignmentRow, type AssignmentRule, type Assignments, MANUAL } from '../../../store/agents/assignment.ts';
import { type Area, rowsFor } from '../../core/row.ts';

export interface AssignmentServices {
  readonly assignments: Pick<Assignments, 'find' | 'save'>;
}

const Mode = Joi.string()
  .valid('manual', 'round_robin', 'least_busy')
  .description(
    'manual: people assign chats; round_robin: agents in turn; least_busy: the agent with the fewest unresolved chats. An unassigned chat is ' +
      'assigned when a message creates or reopens it; if no agent is available then, the next message tries again',
  )
  .example('round_robin');
const OnlyOnline = Joi.boolean().description(
  'Assign chats only to agents who have an open live stream or made a request in the last two minutes',
);

const RuleSchema = Joi.object<AssignmentRule>({ mode: Mode.required(), only_online: OnlyOnline.required() }).meta({ title: 'Assignment' });

const row = rowsFor<AssignmentServices>();

export const assignment: Area<AssignmentServices> = {
  name: 'assignment',
  about: 'How chats are assigned to agents',
  rows: [
    row({
      id: 'getAssignment',
      method: 'GET',
      path: '/v1/assignment',
      summary: 'Get the assignment rule',
      access: 'owner',
      status: 200,
      returns: RuleSchema,
      run: async ({ assignments }, { caller }) => toRule((await assignments.find(caller.tenantId)) ?? MANUAL),
    }),
    row({
      id: 'putAssignment',
      method: 'PUT',
      path: '/v1/assignment',
      summary: 'Update the assignment rule',
      about: 'Omitted fields are unchanged',
      audit: { action: 'assignment.update', on: 'assignments' },
      stepUp: { none: 'assigns chats only within the team' },
      access: 'owner',
      body: Joi.object<Partial<AssignmentRule>>({ mode: Mode, only_online: OnlyOnline }),
      status: 200,
      returns: RuleSchema,
      run: async ({ assignments }, { caller, body }) => toRule(await assignments.save(caller.tenantId, body)),
    }),
  ],
};

const toRule = ({ mode, only_online }: AssignmentRule | AssignmentRow): AssignmentRule => ({ mode, only_online });
