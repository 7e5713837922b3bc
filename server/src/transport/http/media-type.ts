/** The media types of calls and answers: JSON, and Arrow for data frames (E3, W5b, W5e). */
import { arrowType } from '#protocol/arrow/format';
import { readQuality } from './encoding.ts';
import { HttpProblem } from './problem.ts';

/** The media type of JSON. */
export const jsonType = 'application/json';

const jsonTypes = /^application\/(?:json|json-rpc|jsonrequest|[\w.+-]+\+json)$/;
const charsets = /^charset="?(?:utf-?8|us-ascii)"?$/;

/** Whether a body is an Arrow stream, by its Content-Type. 415 for anything but this and JSON in UTF-8; the header may be absent (E3). */
export function isArrow(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType === jsonType) return false;
  const [type, ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (type === arrowType) return true;
  const hasCharset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (jsonTypes.test(type) && (hasCharset === undefined || charsets.test(hasCharset))) return false;
  throw new HttpProblem(415, `Content-Type must be application/json, in UTF-8, or ${arrowType}`);
}

/** Whether Accept names Arrow, and does not prefer JSON (W5e). */
export function prefersArrow(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(arrowType)) return false;
  const qualities = new Map(accept.toLowerCase().split(',').map(readQuality));
  const arrow = qualities.get(arrowType) ?? 0;
  return arrow > 0 && arrow >= (qualities.get(jsonType) ?? 0);
}
