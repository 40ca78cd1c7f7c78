import Joi from 'joi';
import { PRINTABLE } from '../../core/language.ts';

/**
 * Control characters are not allowed: some phones strip them or reject the message only later. Uses
 * ranges instead of \p, because OpenAPI tools compile patterns without the `u` flag.
 */
export const Line = Joi.string().pattern(/^[ -~\u00a0-\uffff]*$/, PRINTABLE);
export const Lines = Joi.string().pattern(/^[\t\n\r -~\u00a0-\uffff]*$/, PRINTABLE);
