/** The interface through which transports sign people in and out; implemented by domain/people's `SignIns`. */
import type { Instance, Presence, SessionClient, SetUpRequest, SignInResult } from '#model/sign-in';

/** The data of the set-up as a browser sends it. */
export interface ConsoleSetUp extends SetUpRequest {
  /** Whether to fill an empty service with the demo plant. */
  demo: boolean;
}

/** Signs people in and out. */
export interface ConsoleGate {
  /** The code for the set-up; null once there is an administrator. */
  setupCode(): string | null;
  instance(): Instance;
  /** The session of a token; null when it has ended. */
  authenticate(token: string): Promise<Presence | null>;
  /** Creates the first administrator. Fails with `conflict` once there are people, and with `invalid-params`. */
  setUp(request: ConsoleSetUp, client: SessionClient): Promise<SignInResult>;
  signIn(name: string, password: string, client: SessionClient): Promise<SignInResult>;
  /** Ends a session; does nothing when it has ended already. */
  signOut(token: string, address: string): Promise<void>;
}
