import Joi from 'joi';
import { type AssignmentRow, type AssignmentRule, type Assignments, MANUAL } from '../../store/assignment.ts';
import { type Area, rowsFor } from '../row.ts';

export interface AssignmentWorld {
  readonly assignments: Pick<Assignments, 'find' | 'save'>;
}

const Mode = Joi.string()
  .valid('manual', 'round_robin', 'least_busy')
  .description(
    'manual: by people only; round_robin: agents in turn; least_busy: the one with the fewest chats that are not resolved. A chat of nobody is ' +
      'assigned when a message comes in with which it is new or open again; where nobody could be chosen, with the next one',
  )
  .example('round_robin');
const OnlyOnline = Joi.boolean().description('Choose among agents who have a live stream open or called within the last two minutes');

const RuleSchema = Joi.object<AssignmentRule>({ mode: Mode.required(), only_online: OnlyOnline.required() }).meta({ title: 'Assignment' });

const row = rowsFor<AssignmentWorld>();

export const assignment: Area<AssignmentWorld> = {
  name: 'assignment',
  about: 'How chats find an agent',
  rows: [
    row({
      id: 'getAssignment',
      method: 'GET',
      path: '/v1/assignment',
      summary: 'The rule in force',
      access: 'owner',
      status: 200,
      returns: RuleSchema,
      run: async ({ assignments }, { caller }) => toRule((await assignments.find(caller.tenantId)) ?? MANUAL),
    }),
    row({
      id: 'putAssignment',
      method: 'PUT',
      path: '/v1/assignment',
      summary: 'Change the rule for chats from now on; what is not named stays',
      access: 'owner',
      body: Joi.object<Partial<AssignmentRule>>({ mode: Mode, only_online: OnlyOnline }),
      status: 200,
      returns: RuleSchema,
      run: async ({ assignments }, { caller, body }) => toRule(await assignments.save(caller.tenantId, body)),
    }),
  ],
};

const toRule = ({ mode, only_online }: AssignmentRule | AssignmentRow): AssignmentRule => ({ mode, only_online });
