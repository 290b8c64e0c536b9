import { Component, type ReactNode } from "react";

interface ErrorBoundaryProps {
  /** A change of this value tries again. */
  of?: unknown;
  fallback: (error: Error, again: () => void) => ReactNode;
  children: ReactNode;
}

/** Keeps what one part throws while drawing inside that part. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidUpdate(before: ErrorBoundaryProps): void {
    if (this.state.error && before.of !== this.props.of) this.setState({ error: null });
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error ? this.props.fallback(error, () => this.setState({ error: null })) : this.props.children;
  }
}
