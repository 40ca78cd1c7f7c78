import Joi from 'joi';
import { PRINTABLE } from '../../core/language.ts';

/** Text that phones show: names in one line, the rest with line breaks. Other control characters are cut, or refused late, by some phones. */
export const Line = Joi.string().pattern(/^\P{Cc}*$/u, PRINTABLE);
export const Lines = Joi.string().pattern(/^[\P{Cc}\n\r\t]*$/u, PRINTABLE);
