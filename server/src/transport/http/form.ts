/** The media type of forms, as browsers and OAuth clients send them. */

/** The type. */
export const formType = 'application/x-www-form-urlencoded';

/** Whether a body is a form, by its Content-Type, which may be absent. */
export function isForm(contentType: string | undefined): boolean {
  return contentType === undefined || contentType.split(';')[0].trim().toLowerCase() === formType;
}
