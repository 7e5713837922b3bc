/** What the codes mean with which a broker refuses a client (MQTT 3.1.1, 3.2.2.3; MQTT 5, 2.4), and what to do. */

/** The user name or the password is wrong, or the user may not connect. */
const userCodes: readonly number[] = [4, 5, 134, 135];

/** The version of the protocol is not supported. */
const versionCodes: readonly number[] = [1, 132];

/** Another client has connected with the same client ID. */
const takenOver = 142;

/** Whether the version of the protocol is the reason. */
export function isVersionRefusal(code: number): boolean {
  return versionCodes.includes(code);
}

/** A reason in words. `user`: who the service is at the broker. */
export function refusalWords(code: number, user: string): string {
  if (userCodes.includes(code))
    return `the broker refuses the user ${user}: correct the user name and the password of --mqtt-url, or what the broker allows this user`;
  if (versionCodes.includes(code))
    return 'the broker does not support this version of MQTT: set --mqtt-version to one that it supports';
  if (code === takenOver)
    return 'another client has taken over the session: is another service configured with this broker?';
  return `the broker ends the connection with the code ${code}`;
}
