import { Component, type ReactNode } from "react";

interface ErrorBoundaryProps {
  /** A change of this value tries again. */
  of?: unknown;
  fallback: (error: Error, again: () => void) => ReactNode;
  children: ReactNode;
}

/** Keeps what one part throws while drawing inside that part. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: Error | null; of: unknown }> {
  override state: { error: Error | null; of: unknown } = { error: null, of: this.props.of };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps(
    { of }: ErrorBoundaryProps,
    state: { of: unknown },
  ): { error: null; of: unknown } | null {
    return of === state.of ? null : { error: null, of };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error ? this.props.fallback(error, () => this.setState({ error: null })) : this.props.children;
  }
}
